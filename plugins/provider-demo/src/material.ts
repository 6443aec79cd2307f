import type { JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';
import { isHeading, type Sentence, sentencesOf, termsOf } from './sentences.ts';

export type Member = readonly [name: string, value: JsonValue];

/** The only source of values besides the schema itself. */
export interface Material {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** Without headings. */
  readonly sentences: readonly Sentence[];
  /** Everything between spaces, without the punctuation around it. */
  readonly pieces: readonly string[];
  readonly numbers: readonly number[];
  /** Values that the text has under a name: `city: Paris`, `city=Paris`, or a member of JSON. Keyed by `plainName`. */
  readonly named: ReadonlyMap<string, readonly Member[]>;
}

const MAX_PIECES = 1_000;

export function createMaterial(source: string): Material {
  const { text, members } = splitJson(source);
  const pieces = text.split(/\s+/, MAX_PIECES).map((piece) => piece.replace(/^[("'`<]+|[)"'`>.,;:!?]+$/g, ''));
  return {
    text,
    terms: new Set(termsOf(text)),
    sentences: sentencesOf(text).filter((sentence) => !isHeading(sentence)),
    pieces,
    numbers: pieces.flatMap((piece) => readNumber(piece) ?? []),
    named: Map.groupBy([...members, ...pairsIn(source)], ([name]) => plainName(name)),
  };
}

const MAX_DEPTH = 64;

/** Reads JSON between the first and last bracket of a paragraph, and puts the strings in it in its place. */
function splitJson(source: string): { readonly text: string; readonly members: readonly Member[] } {
  const members: Member[] = [];
  const paragraphs = source.split(/\n\s*\n/).map((paragraph) => {
    const start = Math.max(0, paragraph.search(/[{[]/));
    const end = Math.max(paragraph.lastIndexOf('}'), paragraph.lastIndexOf(']')) + 1;
    const found = membersOf(parsed(paragraph.slice(start, end)));
    if (found.length === 0) return paragraph;
    members.push(...found);
    const texts = found.flatMap(([, value]) => (typeof value === 'string' ? [value] : []));
    return [paragraph.slice(0, start), ...texts, paragraph.slice(end)].join('\n');
  });
  return { text: paragraphs.join('\n\n'), members };
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

function membersOf(value: JsonValue, depth = 0): readonly Member[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, member]) => [[name, member], ...membersOf(member, depth + 1)]);
}

// A name of up to three words, and a value up to the first comma or full stop.
const pair =
  /(?<![\p{L}\p{N}_-])([\p{L}_][\p{L}\p{N}_-]{0,40}(?: [\p{L}\p{N}_-]{1,40}){0,2})[ \t]{0,3}[:=](?!\/\/)[ \t]{0,3}("[^"\n]{1,2000}"|(?:[^\n,;.!?]|[,;.!?](?=[^\s,;.!?])){1,2000})/gu;

/** The values in pairs such as `city: Paris`. For lists with commas, the rest of the line is a value as well. */
function* pairsIn(text: string): Iterable<Member> {
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(pair)) {
    const start = index + whole.length - value.length;
    const [line = ''] = text.slice(start, start + 2_000).split('\n', 1);
    const words = name.split(' ');
    const values = new Set([value.trim().replace(/^"(.*)"$/, '$1'), line.trim().replace(/[.!?]$/, '')]);
    for (const first of words.keys()) for (const each of values) yield [words.slice(first).join(' '), each];
  }
}

/** A name without case and punctuation: `maxPoints`, `max_points` and `Max points` are one. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The number that a piece of text is, such as `$1,299.50` or `50%`. */
export function readNumber(piece: string): number | undefined {
  const digits = /^[€$£]?(-?\d+(?:,\d{3})*(?:\.\d+)?)[%€$£]?$/.exec(piece)?.[1];
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

/** A position in the output that needs a value. */
export interface Slot {
  readonly schema: Schema;
  /** Name of the property; for items, that of the array. */
  readonly name: string;
  /** JSON Pointer of the place. */
  readonly pointer: string;
}

/** A value for a slot. */
export interface Filling {
  readonly value: JsonValue;
  /** Whether the value comes from the text, or the schema fixes it. */
  readonly found: boolean;
  /** Pointers of values that are there only because the schema requires one. */
  readonly placeholders: readonly string[];
}

/** State of filling one schema. */
export interface Run {
  readonly material: Material;
  /** Values already used as JSON; other slots prefer unused ones. */
  readonly taken: Set<string>;
  /** Charge the budget of the schema; false when it is exhausted. */
  spend(cost: number): boolean;
}

/** The terms by which a slot describes itself. */
export function hintOf({ name, schema }: Slot): readonly string[] {
  return termsOf(`${name} ${schema.title ?? ''} ${schema.description ?? ''}`);
}

/** The allowed types; without `type`, the one that the other keywords imply. */
export function typesOf({ type, properties, required, items }: Schema): readonly SchemaType[] {
  if (type !== undefined) return [type].flat() as SchemaType[];
  if (properties || required) return ['object'];
  return items ? ['array'] : ['string'];
}
