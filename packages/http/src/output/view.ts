import { componentSchemas, type SchemaName, type SchemaObject } from '../schemas/components.ts';

/**
 * The view of an object in a response: the members of its schema, in their order. Rows have others, such as hashes,
 * which are not for callers; members without a value are omitted.
 */
export function viewOf(schema: SchemaName): (shown: object) => object {
  const names = Object.keys((componentSchemas[schema] as SchemaObject).properties ?? {});
  return (shown) => {
    const view: Record<string, unknown> = {};
    for (const name of names) {
      const value = (shown as Readonly<Record<string, unknown>>)[name];
      if (value !== undefined) view[name] = value;
    }
    return view;
  };
}
