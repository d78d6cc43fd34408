import { afterAll } from 'vitest';
import { leaveNothing } from './process.ts';

// This file runs before every file of integration tests. Hooks run in reverse, so this one runs after those
// of the file.
afterAll(leaveNothing);
