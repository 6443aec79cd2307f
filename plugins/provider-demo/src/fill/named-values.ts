import type { JsonValue } from '@patchbay/core/plugin';
import { findJson } from './find-json.ts';
import { isObject } from './fits-schema.ts';

/** What a text says under a name: `city: Paris`, `city=Paris`, or a member of JSON in it. By `plainName`. */
export type NamedValues = ReadonlyMap<string, readonly JsonValue[]>;

const MAX_DEPTH = 8;

// A name of up to three words. What it is set to ends with the line, or earlier where there are commas.
const pair =
  /(?<![\p{L}\p{N}_-])([\p{L}_][\p{L}\p{N}_-]{0,40}(?: [\p{L}\p{N}_-]{1,40}){0,2})[ \t]{0,3}[:=](?!\/\/)[ \t]{0,3}("[^"\n]{1,2000}"|'[^'\n]{1,2000}'|[^\n]{1,2000})/gu;

/** A name without case and marks: `maxPoints`, `max_points` and `Max points` are one. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export function findNamedValues(text: string): NamedValues {
  const found = new Map<string, JsonValue[]>();
  const add = (name: string, value: JsonValue): void => {
    const values = found.get(plainName(name));
    if (values) values.push(value);
    else found.set(plainName(name), [value]);
  };
  for (const { value } of findJson(text)) addMembers(value, add, 0);
  for (const line of text.split('\n')) {
    for (let rest = line; rest !== ''; ) {
      pair.lastIndex = 0;
      const match = pair.exec(rest);
      if (!match) break;
      const [whole, name = '', raw = ''] = match;
      const words = name.split(' ');
      const values = readings(raw);
      for (const start of words.keys()) for (const value of values) add(words.slice(start).join(' '), value);
      // Go on behind the shortest reading: the line may hold another pair.
      rest = rest.slice(match.index + whole.length - raw.length + (values[0]?.length ?? raw.length));
    }
  }
  return found;
}

/** What the value of a pair may be: up to the first comma or full stop, and up to the end of the line. */
function readings(raw: string): readonly string[] {
  const quoted = /^(["'])(.*)\1$/.exec(raw)?.[2];
  if (quoted !== undefined) return [quoted];
  const trimmed = (value: string): string => value.trim().replace(/[.!?,;]+$/, '');
  return [...new Set([trimmed(raw.split(/[,;](?!\d)|[.!?] /, 1)[0] ?? ''), trimmed(raw)])].filter(
    (value) => value !== '',
  );
}

function addMembers(value: JsonValue, add: (name: string, value: JsonValue) => void, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) addMembers(item, add, depth + 1);
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) add(name, member);
  for (const member of Object.values(value)) addMembers(member, add, depth + 1);
}
