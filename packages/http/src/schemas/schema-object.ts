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
