import { afterAll } from 'vitest';
import { closeOpenServers } from './process.ts';

// Runs in front of every file of integration tests; hooks run in reverse, so this one comes after the file's own.
afterAll(closeOpenServers);
