import { nameKey } from '@patchbay/contracts/base/names';
import type { FunctionRow } from '@patchbay/contracts/rows';

/** The longest name of a tool that every client and every model accepts. */
const MAX_LENGTH = 64;
const ID_LENGTH = 26;

const accepted = /^[\w.-]{1,64}$/;

/** The part of a name that contains an id, and the text of that id. */
const withId = /_([0-9a-hjkmnp-tv-z]{26})$/;

/** The key of a function's name, even for rows from before it was stored. */
export function keyOf({ name, key }: Pick<FunctionRow, 'name' | 'key'>): string {
  return key ?? nameKey(name);
}

/** Whether a key can serve as the name of a tool unchanged. */
export function isToolName(key: string): boolean {
  return accepted.test(key);
}

/** The name of a tool whose key is taken by another function, or is not valid for a tool. The id makes it unique. */
export function nameWithId({ id, ...row }: Pick<FunctionRow, 'id' | 'name' | 'key'>): string {
  const readable = keyOf(row)
    .normalize('NFKD')
    .replaceAll(/[^\w.-]/g, '')
    .slice(0, MAX_LENGTH - ID_LENGTH - 1);
  return `${readable === '' ? 'function' : readable}_${id.slice(-ID_LENGTH)}`;
}

/** The id of the function whose tool may have this name, if the name has one. */
export function idInName(name: string): string | undefined {
  const [, suffix] = withId.exec(name) ?? [];
  return suffix === undefined ? undefined : `function_${suffix}`;
}
