import { matchesPattern } from '../pattern/match-pattern.ts';
import { parsePattern, sizeOf } from '../pattern/parse-pattern.ts';
import type { Pattern } from '../pattern/pattern.ts';
import { samplesOf } from '../pattern/sample-pattern.ts';
import { cutToCharacters } from '../text/cut-text.ts';
import { termsOf } from '../text/words.ts';
import { formats } from './formats.ts';
import { phrasesFor } from './phrases.ts';
import { type Filling, found, placeholder, type Run, type Slot, untakenFirst } from './slot.ts';
import { formatHintOf } from './text-hint.ts';

const MAX_WORDS = 200;
const MAX_WORD_LENGTH = 200;
/** A longer text than this is not made up, whatever a schema asks for. */
const MAX_FILLER = 20_000;

/** Texts for a slot: out of the material where something is near, then such that say that they are none. */
export function* stringCandidates(slot: Slot, run: Run): Iterable<Filling> {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = slot.schema;
  const known = formats.get(format ?? formatHintOf(termsOf(slot.name)) ?? '');
  const parsed = pattern === undefined ? undefined : parsePattern(pattern);
  if (pattern !== undefined) {
    if (!parsed) return;
    const words = run.material.text.split(/\s+/, MAX_WORDS).map((word) => word.replace(/^[("'`]+|[)"'`.,;:!?]+$/g, ''));
    const short = words.filter((word) => word.length <= MAX_WORD_LENGTH);
    for (const word of matching(parsed, short, run)) yield found(word);
  } else if (known) {
    const matches = run.material.text.match(known.find) ?? [];
    for (const value of untakenFirst(
      matches.filter((text) => known.matches(text)),
      run,
    ))
      yield found(value);
  }
  if (!known && pattern === undefined) {
    for (const phrase of phrasesFor(slot, run)) yield found(cutToCharacters(phrase, maxLength));
  }
  if (minLength > MAX_FILLER) return;
  if (format !== undefined) for (const text of known?.placeholders(minLength) ?? []) yield placeholder(text, slot);
  if (parsed) for (const text of matching(parsed, samplesOf(parsed), run)) yield placeholder(text, slot);
  const label = `[demo: ${slot.schema.description || slot.schema.title || slot.name || 'text'}]`;
  const characters = Array.from(label.padEnd(minLength, '.'));
  yield placeholder(characters.slice(0, Math.max(minLength, Math.min(characters.length, maxLength))).join(''), slot);
}

function* matching(pattern: Pattern, texts: Iterable<string>, run: Run): Iterable<string> {
  const size = sizeOf(pattern);
  for (const text of texts) {
    if (!run.spend(size * text.length)) return;
    if (matchesPattern(pattern, text)) yield text;
  }
}
