import type { SchemaObject } from '../schemas/components.ts';

/** The bounds of a schema as sentences for people. */
export function boundsOf(schema: SchemaObject): string[] {
  const bound = (keyword: string): number | undefined => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : undefined;
  };
  const above = bound('exclusiveMinimum');
  return [
    ...(above === undefined ? [] : [`Above ${above}.`]),
    ...range(bound('minimum'), bound('maximum')),
    ...sizes(bound('minLength'), bound('maxLength'), ' characters'),
    ...sizes(bound('minItems'), bound('maxItems'), ' entries'),
  ];
}

/** A number of bytes in the largest unit that gives a whole number. */
export function bytesText(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1_024 === 0 ? `${bytes / 1_024} KiB` : `${bytes} bytes`;
}

/** A minimum of one reads as “not empty”. */
function sizes(least: number | undefined, most: number | undefined, unit: string): string[] {
  return least === 1 ? ['Not empty.', ...range(undefined, most, unit)] : range(least, most, unit);
}

function range(least: number | undefined, most: number | undefined, unit = ''): string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}.`];
  if (least !== undefined) return [`At least ${least}${unit}.`];
  return most === undefined ? [] : [`At most ${most}${unit}.`];
}
