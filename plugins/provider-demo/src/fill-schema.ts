import type { JsonObject, JsonValue, Schema } from '@patchbay/core/plugin';
import { fitsSchema } from './fits-schema.ts';
import { createMaterial, type Filling, type Material, plainName, type Run, type Slot, typesOf } from './material.ts';
import { foundValues, placeholderValues, readAs } from './scalar-values.ts';

/** In characters of text and steps of patterns. Nested alternatives multiply: beyond this, a schema is not filled. */
const BUDGET = 10_000_000;
const SLOT_COST = 1_000;
const ITEMS = 10;

/**
 * A value that is valid against the schema, from the material where something in it is near.
 *
 * @returns undefined if there is none: the schema contradicts itself, or requires a pattern that the text does not match
 */
export function fillSchema(schema: Schema, material: Material): Filling | undefined {
  let left = BUDGET;
  const spend = (cost: number): boolean => {
    left -= cost;
    return left >= 0;
  };
  return fillSlot({ schema, name: '', pointer: '' }, { material, taken: new Set(), spend });
}

function fillSlot(slot: Slot, run: Run): Filling | undefined {
  if (!run.spend(SLOT_COST + run.material.text.length)) return undefined;
  let fallback: Filling | undefined;
  for (const filling of fillingsFor(slot, run)) {
    if (!fitsSchema(slot.schema, filling.value)) continue;
    if (filling.found) {
      run.taken.add(JSON.stringify(filling.value));
      return filling;
    }
    fallback ??= filling;
  }
  return fallback;
}

const found = (value: JsonValue): Filling => ({ value, found: true, placeholders: [] });

function* fillingsFor(slot: Slot, run: Run): Iterable<Filling> {
  const { schema, name, pointer } = slot;
  const types = typesOf(schema);
  yield* readAs(types, run.material.named.get(plainName(name)) ?? []).map(found);
  if (schema.default !== undefined) yield found(schema.default);
  if (types.includes('null')) yield { value: null, found: false, placeholders: [] };
  const { anyOf, ...rest } = schema;
  for (const option of anyOf ?? []) yield* existing(fillSlot({ ...slot, schema: combined(rest, option) }, run));
  if (anyOf) return;
  yield* foundValues(slot, run).map(found);
  yield* placeholderValues(slot).map((value) => ({ value, found: false, placeholders: [pointer] }));
  if (types.includes('object')) yield* existing(fillObject(slot, run));
  if (types.includes('array')) yield* existing(fillArray(slot, run));
}

const existing = (filling: Filling | undefined): readonly Filling[] => (filling ? [filling] : []);

/** A schema for one of the alternatives. Where both constrain the same thing, the result still has to fit both. */
function combined(rest: Schema, option: Schema): Schema {
  return {
    ...rest,
    ...option,
    ...((rest.properties || option.properties) && { properties: { ...rest.properties, ...option.properties } }),
    ...((rest.required || option.required) && { required: [...(rest.required ?? []), ...(option.required ?? [])] }),
  };
}

/** All required properties, and the optional ones that the text has a value for. */
function fillObject(slot: Slot, run: Run): Filling | undefined {
  const { properties = {}, required = [], additionalProperties = {} } = slot.schema;
  const undeclared = additionalProperties === true ? {} : additionalProperties;
  const members: [string, Filling][] = [];
  for (const name of new Set([...Object.keys(properties), ...required])) {
    const isRequired = required.includes(name);
    const schema = Object.hasOwn(properties, name) ? properties[name] : undeclared;
    const pointer = `${slot.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const filling = schema ? fillSlot({ schema, name, pointer }, run) : undefined;
    if (filling && (isRequired || filling.found)) members.push([name, filling]);
    else if (isRequired) return undefined;
  }
  const value: JsonObject = Object.fromEntries(members.map(([name, filling]) => [name, filling.value]));
  return { ...together(members.map(([, filling]) => filling)), value };
}

/** Everything the text has for the items, and placeholders up to `minItems`. */
function fillArray(slot: Slot, run: Run): Filling | undefined {
  const { items = {}, minItems = 0, maxItems } = slot.schema;
  const itemSlot: Slot = { ...slot, schema: typeof items === 'object' ? items : {} };
  const fillings = foundItems(itemSlot, minItems, run).slice(0, maxItems);
  while (fillings.length < minItems) {
    const filling = fillSlot({ ...itemSlot, pointer: `${slot.pointer}/${fillings.length}` }, run);
    if (!filling) return undefined;
    fillings.push(filling);
  }
  return { ...together(fillings), value: fillings.map(({ value }) => value) };
}

function together(fillings: readonly Filling[]): Omit<Filling, 'value'> {
  return {
    found: fillings.some((filling) => filling.found),
    placeholders: fillings.flatMap(({ placeholders }) => placeholders),
  };
}

function foundItems(slot: Slot, minItems: number, run: Run): Filling[] {
  const { schema } = slot;
  const [type] = typesOf(schema);
  if (type === 'object' || type === 'array' || schema.anyOf) return itemsPerSentence(slot, minItems, run);
  const values = [...new Set(foundValues(slot, run, true))].filter((value) => fitsSchema(schema, value));
  return values.slice(0, Math.max(ITEMS, minItems)).map(found);
}

/** One item for each sentence that has something for it. */
function itemsPerSentence(slot: Slot, minItems: number, run: Run): Filling[] {
  const fillings: Filling[] = [];
  for (const { text } of run.material.sentences) {
    if (fillings.length >= Math.max(ITEMS, minItems)) break;
    const pointer = `${slot.pointer}/${fillings.length}`;
    const filling = fillSlot({ ...slot, pointer }, { ...run, material: createMaterial(text) });
    if (filling?.found) fillings.push(filling);
  }
  return fillings;
}
