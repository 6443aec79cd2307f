/** An object of unknown making: nothing is known of its members. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** The value as an object, or undefined where it is none. */
export function fieldsOf(value: unknown): JsonFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined;
}

/** The value as a list, or undefined where it is none. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value as a text, or undefined where it is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
