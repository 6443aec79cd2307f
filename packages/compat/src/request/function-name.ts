import type { Value } from './field.ts';

/** The name of a function, in the form that every vendor accepts. */
export function functionName(field: Value): string {
  const name = field.text();
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  return field.fail('invalid_value', 'must be 1 to 64 letters, digits, "_" or "-"');
}
