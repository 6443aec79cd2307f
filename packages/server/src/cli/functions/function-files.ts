import type { FunctionBody } from '@patchbay/client';
import { Document } from 'yaml';
import { codeFiles, definitionFile, promptFile } from './local-function.ts';

/** The files of a function by name: what `pull` writes, and `diff` compares. */
export function filesOf(body: FunctionBody): ReadonlyMap<string, string> {
  const { name, description = '', input, output, code = '', settings } = body;
  const { prompt, ...others } = settings ?? {};
  const definition = {
    name,
    ...(description !== '' && { description }),
    input,
    output,
    // An empty map, too: a function without code and settings is none.
    ...((Object.keys(others).length > 0 || (settings && prompt === undefined)) && { settings: others }),
  };
  const files = new Map([[definitionFile, new Document(definition).toString({ lineWidth: 0 })]]);
  if (code !== '') files.set(codeFiles[0], code);
  if (typeof prompt === 'string') files.set(promptFile, `${prompt}\n`);
  return files;
}
