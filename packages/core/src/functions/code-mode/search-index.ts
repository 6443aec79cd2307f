import type { Schema } from '@patchbay/contracts/json-schema';
import MiniSearch from 'minisearch';

/** A function or a tool that programs can call, with the texts by which it is found. */
export interface Searched {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
}

/** Finds the ids of those that match a query, best first. */
export function createSearchIndex(rows: readonly Searched[]): (query: string) => readonly string[] {
  const index = new MiniSearch<Searched>({
    fields: ['name', 'description', 'properties'],
    extractField: (row, field) => (field === 'properties' ? propertyNames(row) : row[field as 'id']),
    tokenize: wordsOf,
    searchOptions: {
      boost: { name: 4, description: 2 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      // `order` means `orders` as well.
      weights: { prefix: 0.8, fuzzy: 0.4 },
    },
  });
  index.addAll(rows);
  return (query) => index.search(query).map(({ id }) => id as string);
}

/** `listOrders` and `list_orders` are two words each. */
function wordsOf(text: string): string[] {
  return text.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ').match(/[\p{L}\p{N}]+/gu) ?? [];
}

function propertyNames({ input, output }: Searched): string {
  const names = new Set<string>();
  for (const schema of [input, output]) addNames(schema, names);
  return [...names].join(' ');
}

function addNames(schema: Schema, names: Set<string>): void {
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    names.add(name);
    addNames(member, names);
  }
  const { items, anyOf = [], oneOf = [], allOf = [], $defs = {} } = schema;
  const within = [...anyOf, ...oneOf, ...allOf, ...Object.values($defs)];
  for (const each of typeof items === 'object' ? [items, ...within] : within) addNames(each, names);
}
