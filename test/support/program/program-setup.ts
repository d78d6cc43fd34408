import type { TestProject } from 'vitest/node';
import { buildProgram, removeProgram } from './build-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the built program. */
    program: string;
  }
}

/** Builds the program before the tests. Vitest calls the returned function after the last test. */
export default async function provideProgram(project: TestProject): Promise<() => Promise<void>> {
  project.provide('program', await buildProgram());
  return removeProgram;
}
