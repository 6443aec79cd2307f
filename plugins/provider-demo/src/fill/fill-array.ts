import type { JsonValue, Schema } from '@patchbay/core/plugin';
import { cutToCharacters } from '../text/cut-text.ts';
import { keywordsOf } from '../text/keywords.ts';
import { mostCentral } from '../text/rank-sentences.ts';
import { isHeading } from '../text/sentences.ts';
import { fitsSchema } from './fits-schema.ts';
import { createMaterial } from './material.ts';
import { scalarCandidates } from './scalar-candidates.ts';
import { type Filling, hintOf, type Run, type Slot } from './slot.ts';
import { textHintOf } from './text-hint.ts';
import { typesOf } from './types-of.ts';

const KEYWORDS = 5;
const SENTENCES = 3;
const OTHERS = 10;

/** What the text has of the kind of the items, and what says nothing where the schema asks for more. */
export function fillArray(slot: Slot, run: Run): Filling | undefined {
  const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = slot.schema;
  const itemSlot: Slot = { schema: items, name: slot.name, pointer: slot.pointer };
  const values: JsonValue[] = [];
  const placeholders: string[] = [];
  for (const filling of foundItems(slot, itemSlot, minItems, run)) {
    if (values.length >= maxItems) break;
    values.push(filling.value);
    placeholders.push(...filling.placeholders);
  }
  const count = values.length;
  while (values.length < minItems) {
    const pointer = `${slot.pointer}/${values.length}`;
    const filling = run.fill({ ...itemSlot, pointer }, run);
    if (!filling) return undefined;
    values.push(filling.value);
    placeholders.push(pointer);
  }
  return { value: values, found: count > 0, placeholders };
}

function* foundItems(slot: Slot, itemSlot: Slot, minItems: number, run: Run): Iterable<Filling> {
  const { schema } = itemSlot;
  const fits = (value: JsonValue): boolean => run.spend(1) && fitsSchema(schema, value);
  if (isPlainText(schema)) {
    const texts = textItems(slot, minItems, run).map((text) => cutToCharacters(text, schema.maxLength ?? text.length));
    for (const value of texts.filter(fits)) yield { value, found: true, placeholders: [] };
    return;
  }
  const types = typesOf(schema);
  if (types.includes('object') || types.includes('array') || schema.anyOf) {
    yield* itemsPerSentence(itemSlot, minItems, run);
    return;
  }
  const seen = new Set<string>();
  for (const filling of scalarCandidates(itemSlot, types, run)) {
    const key = JSON.stringify(filling.value);
    if (!filling.found || seen.has(key) || !fits(filling.value)) continue;
    seen.add(key);
    yield filling;
    if (seen.size >= Math.max(OTHERS, minItems)) return;
  }
}

function isPlainText(schema: Schema): boolean {
  const { enum: values, const: constant, format, pattern, anyOf } = schema;
  const isRestricted = [values, constant, format, pattern, anyOf].some((keyword) => keyword !== undefined);
  return typesOf(schema)[0] === 'string' && !isRestricted;
}

function textItems(slot: Slot, minItems: number, { material }: Run): readonly string[] {
  const { isLong, isKeyword } = textHintOf(hintOf(slot));
  if (isKeyword && !isLong) return keywordsOf(material.text).slice(0, Math.max(KEYWORDS, minItems));
  const bodies = material.sentences.filter((sentence) => !isHeading(sentence));
  return mostCentral(bodies, Math.max(SENTENCES, minItems)).map(({ text }) => text);
}

/** One item for each sentence that has something for it; where some have everything, only those. */
function itemsPerSentence(itemSlot: Slot, minItems: number, run: Run): readonly Filling[] {
  const fillings: Filling[] = [];
  for (const { text } of run.material.sentences) {
    const pointer = `${itemSlot.pointer}/${fillings.length}`;
    const filling = run.fill({ ...itemSlot, pointer }, { ...run, material: createMaterial(text) });
    if (filling?.found) fillings.push(filling);
    if (fillings.length >= Math.max(OTHERS, minItems)) break;
  }
  const complete = fillings.filter(({ placeholders }) => placeholders.length === 0);
  return complete.length > 0 ? complete : fillings;
}
