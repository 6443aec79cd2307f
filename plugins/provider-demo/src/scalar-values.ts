import type { JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';
import { compilePattern, formatPlaceholders, hasFormat } from './fits-schema.ts';
import { hintOf, type Member, type Run, readNumber, type Slot, typesOf } from './material.ts';
import { cutToCharacters, keywordsOf, mostCentral, nearest, overlap, stem, termsOf } from './sentences.ts';
import words from './words.json' with { type: 'json' };

/** Scalars that the text has for a slot or for the items of an array, or that its schema fixes; not yet validated. */
export function foundValues(slot: Slot, run: Run, areItems = false): readonly JsonValue[] {
  const { const: constant, enum: values } = slot.schema;
  if (constant !== undefined) return [constant];
  if (values) return choicesOf(values, run);
  return typesOf(slot.schema).flatMap((type): readonly JsonValue[] => {
    if (type === 'string') return untakenFirst(stringsOf(slot, run, areItems), run);
    return type === 'number' || type === 'integer' ? untakenFirst(run.material.numbers, run) : [];
  });
}

function untakenFirst<T extends JsonValue>(values: readonly T[], { taken }: Run): readonly T[] {
  const isTaken = (value: T): number => Number(taken.has(JSON.stringify(value)));
  return values.toSorted((one, other) => isTaken(one) - isTaken(other));
}

/** The values of an enum that the text mentions. */
function choicesOf(values: readonly JsonValue[], { material }: Run): readonly JsonValue[] {
  const scoreOf = (value: JsonValue): number => {
    if (typeof value !== 'string') return material.numbers.some((number) => number === value) ? 1 : 0;
    const words = termsOf(value);
    // Of two values with one word in the text, the one that has no other words is nearer.
    return overlap(words, material.terms) / Math.max(1, words.length);
  };
  const scored = values.map((value) => ({ value, score: scoreOf(value) })).filter(({ score }) => score > 0);
  return scored.sort((one, other) => other.score - one.score).map(({ value }) => value);
}

/** A format that fits most words is only found where the word has this as well. */
const marks: Readonly<Record<string, string>> = { hostname: '.', uri: '://' };
const KEYWORDS = 5;
const stems = (hints: readonly string[]): ReadonlySet<string> => new Set(hints.map(stem));
const keywordHints = stems(words.keywordHints);
const sentenceHints = stems(words.sentenceHints);

function stringsOf(slot: Slot, run: Run, areItems: boolean): readonly string[] {
  const { format = slot.name, pattern, maxLength = Number.POSITIVE_INFINITY } = slot.schema;
  const { pieces, sentences, text } = run.material;
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern);
    return pieces.filter((piece) => compiled && run.spend(compiled.cost * piece.length) && compiled.test(piece));
  }
  if (formatPlaceholders.has(format)) {
    return pieces.filter((piece) => piece.includes(marks[format] ?? '') && hasFormat(format, piece));
  }
  const hint = hintOf(slot);
  const isSentence = overlap(hint, sentenceHints) > 0;
  const keywords = !isSentence && overlap(hint, keywordHints) > 0 ? keywordsOf(text).slice(0, KEYWORDS) : [];
  if (areItems && keywords.length > 0) return keywords;
  const summary = mostCentral(sentences, areItems ? 3 : 2).map((sentence) => sentence.text);
  if (areItems) return summary;
  const phrases = isSentence ? [summary.join(' ')] : shortPhrases(text);
  const close = [...nearest(sentences, hint, 1), ...mostCentral(sentences, 1)].map((sentence) => sentence.text);
  const found = [...keywords, ...phrases, ...close].filter((phrase) => phrase !== '');
  return found.map((phrase) => cutToCharacters(phrase, maxLength));
}

const quotation = /["“„«]([^"“”„«»\n]{1,500})["”“»]/g;
// Words with a capital letter, such as names of places and people; at the beginning of a sentence only two of them.
const properName =
  /(?<=[\p{L}\p{N},;:'’)] )\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*)*|\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*)+/gu;

function shortPhrases(text: string): readonly string[] {
  const quoted = [...text.matchAll(quotation)].map(([, inner = '']) => inner);
  return [...quoted, ...(text.match(properName) ?? []).filter((name) => termsOf(name).length > 0)];
}

/** Named values as they are and converted to the types, best first. */
export function readAs(types: readonly SchemaType[], members: readonly Member[]): readonly JsonValue[] {
  const values = members.map(([, value]) => value);
  // Of a list, the reading that continues after the first comma is meant.
  const lists = types.includes('array') ? values.map(itemsOf).sort((one, other) => other.length - one.length) : [];
  return [...lists, ...values.flatMap((value) => [value, ...types.flatMap((type) => scalarOf(type, value))])];
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (typeof value === 'string') return value.split(/[,;]|\sand\s/).flatMap((item) => item.trim() || []);
  return Array.isArray(value) ? value : [];
}

function scalarOf(type: SchemaType, value: JsonValue): readonly JsonValue[] {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
  if (typeof value !== 'string') return [];
  if (type === 'boolean' && /^(?:true|yes|on|false|no|off)$/i.test(value)) return [/^(?:true|yes|on)$/i.test(value)];
  const number = readNumber(value.split(' ', 1).join(''));
  return number === undefined ? [] : [number];
}

/** A longer text than this is not made up, whatever a schema asks for. */
const MAX_FILLER = 20_000;

/** Scalars that carry no information, for a slot that must have a value. Not yet validated. */
export function placeholderValues({ schema, name }: Slot): readonly JsonValue[] {
  if (schema.enum) return schema.enum;
  return typesOf(schema).flatMap((type): readonly JsonValue[] => {
    if (type === 'number' || type === 'integer') return numbersWithin(schema, type);
    if (type !== 'string') return type === 'boolean' ? [false, true] : [];
    const { format = '', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
    const label = `[demo: ${schema.description || schema.title || name || 'text'}]`;
    const padded = Array.from(label.padEnd(Math.min(minLength, MAX_FILLER), '.'));
    const length = Math.max(minLength, Math.min(padded.length, maxLength));
    return [formatPlaceholders.get(format) ?? padded.slice(0, length).join('')];
  });
}

/** The number within the bounds that is nearest to 0, and its neighbours for bounds that are exclusive. */
function numbersWithin(schema: Schema, type: SchemaType): readonly number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const high = Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  const near = Math.min(Math.max(0, low), high);
  const step = schema.multipleOf ?? (type === 'integer' ? 1 : undefined);
  if (step !== undefined) {
    const count = near < 0 ? Math.floor(near / step) : Math.ceil(near / step);
    return [count, count + 1, count - 1].map((each) => each * step);
  }
  // The last one is for bounds so large that adding 1 changes nothing.
  return [near, (low + high) / 2, near + 1, near - 1, low, high, near + Math.abs(near) / 1e15].filter(Number.isFinite);
}
