import { join, relative } from 'node:path';
import { APIError } from '@patchbay/client';
import { codeFileOf, definitionFile, type LocalFunction, promptFile, readYaml } from './local-function.ts';

/** What the server found wrong with a function, each as `file:line:column what it is`; none where it named no place. */
export async function placeFaults({ folder }: LocalFunction, error: unknown, cwd: string): Promise<readonly string[]> {
  if (!(error instanceof APIError) || error.errors.length === 0) return [];
  const shown = (file: string) => relative(cwd, join(folder, file));
  const codeFile = await codeFileOf(folder);
  const { placeOf } = await readYaml(join(folder, definitionFile));
  return error.errors.map((fault) => {
    const { pointer, detail } = fault;
    const { line, column } = fault as { readonly line?: number; readonly column?: number };
    const path = pathOf(pointer);
    const [first, second] = path;
    if (first === 'code') return `${[shown(codeFile), line ?? 1, column ?? 1].join(':')} ${detail}`;
    const isPrompt = first === 'settings' && second === 'prompt';
    const place = placeOf(path);
    if (isPrompt && place === placeOf(path.slice(0, 1))) return `${shown(promptFile)}:1:1 ${detail}`;
    return `${shown(definitionFile)}:${place} ${[...path].join('.')} ${detail}`;
  });
}

function pathOf(pointer: string): readonly (string | number)[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => {
    const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(plain) ? Number(plain) : plain;
  });
}
