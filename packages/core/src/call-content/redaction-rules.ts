import { memberPointer } from '@patchbay/contracts/base/json-pointer';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import { escapePattern } from '../secrets/redactor.ts';

/**
 * A rule, as a pattern for configs: a JSON Pointer (RFC 6901) to at least one member, in which a `*` stands for every
 * member of an object and every item of an array.
 */
export const rulePattern = '^(?:/(?:[^~/]|~[01])*)+$';

/** The members that rules name, level by level. */
export interface RuleNode {
  readonly members: ReadonlyMap<string, RuleNode>;
  /** A rule ends here: the whole value is removed. */
  readonly isEnd: boolean;
}

interface GrowingNode {
  readonly members: Map<string, GrowingNode>;
  isEnd: boolean;
}

const ANY = '*';

/** Rules as a tree, so that a document is walked once, and only where rules apply. */
export function compileRules(rules: readonly string[]): RuleNode {
  const root: GrowingNode = { members: new Map(), isEnd: false };
  for (const rule of rules) {
    let node = root;
    for (const part of rule.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const next = node.members.get(name) ?? { members: new Map(), isEnd: false };
      node.members.set(name, next);
      node = next;
    }
    node.isEnd = true;
  }
  return root;
}

const REDACTED = '[redacted]';

/** Everything that the rules have removed. */
export interface Removed {
  readonly pointers: string[];
  /** The strings and numbers within. */
  readonly values: Set<string>;
}

/** A copy without the values that rules name, which shares everything else with the original. */
export function applyRules(value: JsonValue, rules: RuleNode, pointer: string, removed: Removed): JsonValue {
  return applyNodes(value, [rules], pointer, removed);
}

function applyNodes(value: JsonValue, nodes: readonly RuleNode[], pointer: string, removed: Removed): JsonValue {
  if (nodes.some(({ isEnd }) => isEnd)) {
    removed.pointers.push(pointer);
    collect(value, removed.values);
    return REDACTED;
  }
  if (typeof value !== 'object' || value === null) return value;
  const below = (name: string): readonly RuleNode[] =>
    nodes.flatMap(({ members }) => [name, ANY].flatMap((each) => members.get(each) ?? []));
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) => {
      const next = below(String(index));
      return next.length === 0 ? item : applyNodes(item, next, `${pointer}/${index}`, removed);
    });
  }
  const copy: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const next = below(name);
    copy[name] = next.length === 0 ? member : applyNodes(member, next, memberPointer(pointer, name), removed);
  }
  return copy;
}

/** Shorter numbers are everywhere. */
const SHORTEST_NUMBER = 4;

function collect(value: JsonValue | undefined, values: Set<string>): void {
  if (typeof value === 'string' && value !== '') values.add(value);
  else if (typeof value === 'number' && String(value).length >= SHORTEST_NUMBER) values.add(String(value));
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each, values);
}

/** With more values, or in longer texts, the search would take too long. */
const MOST_VALUES = 200;
const MOST_COMPARED = 50_000_000;

/** Removes values from texts. */
export type Scrub = (text: string) => string;

/**
 * Removes the values wherever a text repeats them, such as a prompt that was made from the input: verbatim, and as in
 * JSON. Undefined: there are too many for texts of this length.
 *
 * @param characters Of all texts together.
 */
export function scrubOf(values: ReadonlySet<string>, characters: number): Scrub | undefined {
  if (values.size > MOST_VALUES || values.size * characters > MOST_COMPARED) return undefined;
  const forms = new Set([...values].flatMap((value) => [value, escaped(value), escaped(escaped(value))]));
  // The longest first: one may be the beginning of another.
  const replacements = [...forms].sort((one, other) => other.length - one.length).map(replacement);
  return (text) => replacements.reduce((rest, replace) => replace(rest), text);
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Shorter values count as whole words only: a single letter is in every word. */
const SHORTEST_PART = 4;

function replacement(value: string): Scrub {
  if (value.length >= SHORTEST_PART) return (text) => text.replaceAll(value, REDACTED);
  const word = escapePattern(value);
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'gu');
  return (text) => text.replaceAll(whole, REDACTED);
}
