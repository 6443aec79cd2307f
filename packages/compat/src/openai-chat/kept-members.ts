import type { Extra } from '@patchbay/core/provider';
import type { Field } from '../request/field.ts';
import { printable, type Warnings } from '../request/warnings.ts';

/**
 * The name of this API among the dialects, under which members stand that no other has. Each stands there as it was sent,
 * so that an adapter can put it back where it was: those of a message into the message, those of a part into the part,
 * those of a tool into its `function`.
 */
export const dialect = 'openai-chat';

/**
 * Keep members that have no counterpart elsewhere, with a warning.
 *
 * @param of Where they are, such as `messages[]`; nothing for the request itself.
 */
export function keep(
  members: readonly (readonly [string, Field])[],
  of: string,
  warnings: Warnings,
): { readonly extra?: Extra } {
  const given = members.filter(([, field]) => field.isGiven);
  if (given.length === 0) return {};
  for (const [name] of given) {
    const path = of === '' ? name : `${of}.${name}`;
    warnings.add(`${printable(path)} has an effect on models with the API of OpenAI only`);
  }
  // Through entries: an assignment to `__proto__` would be lost.
  return { extra: { [dialect]: Object.fromEntries(given.map(([name, { value }]) => [name, value])) as Extra[string] } };
}

/** The members of an object beside those that are read. */
export function othersOf(object: Field, known: readonly string[]): readonly (readonly [string, Field])[] {
  return object.members().filter(([name]) => !known.includes(name));
}
