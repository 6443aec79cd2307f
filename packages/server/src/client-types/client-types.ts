import type { Schema } from '@patchbay/core/plugin';
import type { FunctionRow } from '@patchbay/core/storage';
import { commentText, keyText, typeText } from './type-text.ts';

export type TypedFunctionRow = Pick<FunctionRow, 'id' | 'name' | 'key' | 'description' | 'input' | 'output'>;

/** A module with the types of all functions, and those that a client cannot call as members of an object. */
export interface ClientTypes {
  readonly text: string;
  readonly leftOut: readonly { readonly row: TypedFunctionRow; readonly why: string }[];
}

/** Members that clients keep for other purposes; such a function is called with `$call`. */
const reserved: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...'then catch finally toJSON toBSON default prototype inspect nodeType nodeName tagName asymmetricMatch ref'.split(
    ' ',
  ),
]);

const head = `// Written by \`patchbay types\`: what it says of the functions is lost when it is written again.

import { type ClientConfig, createClient, type TypedClient } from '@patchbay/client';

/** The functions that were stored when this was written. */
`;

const tail = `
/** A client on which these functions can be called, and a name that none of them has is an error of the compiler. */
export function createFunctions(config: ClientConfig = {}): TypedClient<Functions> {
  return createClient(config).ai as unknown as TypedClient<Functions>;
}
`;

/** Write the types of functions, as a module for applications that use `@patchbay/client`. */
export function clientTypes(rows: readonly TypedFunctionRow[]): ClientTypes {
  const byName = countBy(rows.map(({ name }) => name));
  const byKey = countBy(rows.flatMap(({ key }) => (key ? [key] : [])));

  /** The identifier by which a call reaches this function, or else its name: servers look for names first. */
  const callName = ({ name, key }: TypedFunctionRow): string | undefined => {
    const isOwnName = key === name && byName.get(name) === 1;
    if (key && (isOwnName || (!byName.has(key) && byKey.get(key) === 1))) return key;
    return byName.get(name) === 1 ? name : undefined;
  };

  const members: string[] = [];
  const leftOut: ClientTypes['leftOut'][number][] = [];
  for (const row of rows) {
    const name = callName(row);
    if (name === undefined) leftOut.push({ row, why: 'others have its name as well' });
    else if (reserved.has(name) || name.startsWith('$')) leftOut.push({ row, why: 'its name is reserved' });
    else members.push(member(name, row));
  }
  const functions = members.length === 0 ? 'export type Functions = Record<never, never>;\n' : block(members);
  return { text: head + functions + tail, leftOut };
}

function block(members: readonly string[]): string {
  return `export interface Functions {\n${members.join('\n')}\n}\n`;
}

function member(callName: string, { name, description, input, output }: TypedFunctionRow): string {
  const about = commentText(description === '' ? name : `${name}: ${description}`);
  const optional = needsNothing(input) ? '?' : '';
  const signature = `(input${optional}: ${typeText(input, 'input', '  ')}): ${typeText(output, 'output', '  ')};`;
  return `  /** ${about} */\n  ${keyText(callName)}${signature}`;
}

function needsNothing({ properties = {}, required = [] }: Schema): boolean {
  return required.every((name) => Object.hasOwn(properties, name) && properties[name]?.default !== undefined);
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
