import type { TestProject } from 'vitest/node';
import { buildPage, buildProgram, removeProgram } from './build-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the built program. */
    program: string;
  }
}

/**
 * Builds the program and the page of its console before the tests. Vitest calls the returned function after
 * the last test.
 */
export default async function provideProgram(project: TestProject): Promise<() => Promise<void>> {
  const [program] = await Promise.all([buildProgram(), buildPage()]);
  project.provide('program', program);
  return removeProgram;
}
