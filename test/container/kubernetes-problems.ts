import { resolve } from 'node:path';
import ts from 'typescript';

/** A Kubernetes resource, as its YAML states it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** The file is next to the packages, so that the compiler finds them. It is never written. */
const file = resolve(import.meta.dirname, 'resources-as-literals.ts');

/**
 * Returns the problems of resources according to the definitions that Kubernetes publishes. Each resource
 * becomes a literal of the type of its kind. So the compiler finds members that are unknown, missing or of
 * another type, at any depth.
 */
export function findProblems(resources: readonly Resource[]): string[] {
  const source = resources.map(
    (resource, k) =>
      `import type { ${resource.kind} as T${k} } from 'kubernetes-types/${moduleOf(resource)}.js';\n` +
      `export const r${k}: T${k} = ${JSON.stringify(resource)};\n`,
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const text = source.join('');
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  host.getSourceFile = (name, language) =>
    name === file ? ts.createSourceFile(name, text, language) : getSourceFile(name, language);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** Resources without a group are in `core`. A group of Kubernetes itself has no domain there. */
function moduleOf({ apiVersion }: Resource): string {
  return apiVersion.includes('/') ? apiVersion.replace('.k8s.io/', '/') : `core/${apiVersion}`;
}
