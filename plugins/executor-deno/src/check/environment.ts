import { readFileSync } from 'node:fs';

/** Declarations for the type check: the second argument of a function, and the names of the web that work here. */
export const environmentFiles: readonly URL[] = ['context.d.ts', 'web.d.ts'].map(
  (name) => new URL(`../../environment/${name}`, import.meta.url),
);

/** Declarations of the globals that a function finds besides the language. */
export const environmentDeclarations = environmentFiles.map((file) => readFileSync(file, 'utf8')).join('\n');

/** In place of declarations of mounted tools: any tool of any server. */
export const unknownTools = 'interface MountedTools { readonly [server: string]: UnknownTools }\n';
