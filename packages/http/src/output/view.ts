import { componentSchemas, type SchemaName, type SchemaObject } from '../schemas/components.ts';

/**
 * The view of an object in a response: the members of its schema, in their order. Rows have others, such as hashes,
 * which are not for callers; members without a value are undefined, and are not in its JSON.
 */
export function viewOf(schema: SchemaName): (shown: object) => object {
  const names = Object.keys((componentSchemas[schema] as SchemaObject).properties ?? {}).map((name) =>
    JSON.stringify(name),
  );
  // As code: a loop over names is slow for every object, because each schema has others, and so is the object it makes.
  const members = names.map((name) => `${name}: shown[${name}]`);
  // oxlint-disable-next-line typescript/no-implied-eval -- the names are those of the API's own schemas
  return new Function('shown', `return { ${members.join(', ')} };`) as (shown: object) => object;
}
