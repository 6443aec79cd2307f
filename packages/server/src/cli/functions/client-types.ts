import { readFileSync } from 'node:fs';
import { functionTypes } from '@patchbay/core';
import type { FunctionRow } from '@patchbay/core/storage';

export type TypedFunctionRow = Pick<FunctionRow, 'id' | 'name' | 'key' | 'description' | 'input' | 'output'>;

/** A module with the types of all functions, and those that a client cannot call as members of an object. */
interface ClientTypes extends Pick<ReturnType<typeof functionTypes>, 'leftOut'> {
  readonly text: string;
}

/** Members that clients keep for other purposes; such a function is called with `$call`. */
const reserved: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...'then catch finally toJSON toBSON default prototype inspect nodeType nodeName tagName asymmetricMatch ref'.split(
    ' ',
  ),
]);

const template = readFileSync(new URL('../../../templates/functions.ts.template', import.meta.url), 'utf8');

/** Write the types of functions, as a module for applications that use `@patchbay/client`. */
export function clientTypes(rows: readonly TypedFunctionRow[]): ClientTypes {
  const { functions, definitions, leftOut } = functionTypes(rows, isReserved);
  const text = `export ${functions}${definitions.map((each) => `\n${each}\n`).join('')}`;
  return { text: template.replace('{{functions}}\n', () => text), leftOut };
}

const isReserved = (name: string): boolean => reserved.has(name) || name.startsWith('$');
