// Shared by all copies of this package in a process. Not enumerable: neither copies nor comparisons see it.
const textKey = Symbol.for('patchbay.json-text');

/** Levels below the value in which a remembered text is looked for: arguments are that deep in a request to a model. */
const LEVELS = 6;

/** Items and members among which it is looked for. More are a document in their own right. */
const BREADTH = 1_000;

/** Have `jsonTextOf` return this text for a document, which must not be changed any more. */
export function rememberText(document: object, text: string): void {
  Object.defineProperty(document, textKey, { value: text });
}

/**
 * The JSON text of a value, as `JSON.stringify` makes it. Documents that came as a large text and have not been changed
 * since keep that text, so that storing and returning them costs no time of the event loop.
 *
 * @example
 * ```ts
 * import { jsonTextOf } from '@patchbay/core';
 *
 * console.log(jsonTextOf({ a: [1, 2] })); // {"a":[1,2]}
 * ```
 */
export function jsonTextOf(value: unknown): string {
  return textOf(value) ?? composed(value, LEVELS) ?? JSON.stringify(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? (value as { readonly [textKey]?: string })[textKey] : undefined;
}

/** The text of a container around a document whose text is remembered; undefined where there is none. */
function composed(value: unknown, levels: number): string | undefined {
  if (levels === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
  const texts = new Map<string, string>();
  let members = 0;
  for (const name in value) {
    members += 1;
    if (members > BREADTH) break;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    const text = textOf(member) ?? composed(member, levels - 1);
    if (text !== undefined) texts.set(name, text);
  }
  if (texts.size === 0) return undefined;
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => texts.get(String(index)) ?? JSON.stringify(item) ?? 'null').join()}]`;
  }
  const pieces = Object.entries(value).flatMap(([name, member]) => {
    const text = texts.get(name) ?? (JSON.stringify(member) as string | undefined);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${pieces.join()}}`;
}
