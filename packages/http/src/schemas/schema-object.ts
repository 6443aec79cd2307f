/** A JSON Schema as the OpenAPI document has it; named members are those that the reference page reads. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: SchemaObject;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/** ISO 8601, UTC, always three decimals. */
export const timestamp = { type: 'string', format: 'date-time', description: 'UTC, with milliseconds.' } as const;

/** The schema of a page of `entry`. */
export function pageOf(entry: string) {
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: { $ref: `#/components/schemas/${entry}` } },
      meta: {
        type: 'object',
        properties: {
          total: { type: 'integer', minimum: 0, description: 'Entries that there are in all.' },
          limit: { type: 'integer', minimum: 1, maximum: 100 },
          offset: { type: 'integer', minimum: 0 },
          nextCursor: { type: 'string', description: 'Present where there is more: the `cursor` of the next page.' },
        },
        required: ['total', 'limit', 'offset'],
      },
    },
    required: ['data', 'meta'],
  } as const;
}

export const opaqueId = { type: 'string', description: 'Opaque; assigned by the service.' } as const;

/** A timestamp that may be absent. */
export function optionalTime(description: string) {
  return { type: ['string', 'null'], format: 'date-time', description } as const;
}

/** A time that a client sends: ISO 8601 with a zone. */
export const timeInput = {
  maxLength: 40,
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
  $comment: 'must be a time such as 2027-01-31T12:00:00Z',
} as const;

/** The name of a function or key. */
export function nameOf(description: string) {
  return {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\p{Cc}]*$',
    $comment: 'must not have control characters',
    description,
  } as const;
}

/** The schema of an object in responses: it has every property, except those that are optional. */
export function responseObject(
  properties: Readonly<Record<string, SchemaObject>>,
  { description, optional = [] }: { readonly description?: string; readonly optional?: readonly string[] } = {},
): SchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...(description !== undefined && { description }), properties, required };
}
