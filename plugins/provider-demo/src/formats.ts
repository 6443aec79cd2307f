import { fullFormats } from 'ajv-formats/dist/formats.js';

/** The formats that a schema may name, each with a placeholder. */
export const formatPlaceholders: ReadonlyMap<string, string> = new Map([
  ['date', '1970-01-01'],
  ['time', '00:00:00Z'],
  ['date-time', '1970-01-01T00:00:00Z'],
  ['email', 'demo@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '00000000-0000-0000-0000-000000000000'],
  ['hostname', 'example.com'],
  ['ipv4', '0.0.0.0'],
  ['ipv6', '::'],
]);

/** Longer values are not checked, because some of the expressions take quadratic time. */
const MAX_LENGTH = 2_000;

/** Whether a text has a format; every text has a format that is not known. */
export function hasFormat(format: string, text: string): boolean {
  if (!formatPlaceholders.has(format)) return true;
  if (text.length > MAX_LENGTH) return false;
  const definition = fullFormats[format as keyof typeof fullFormats] as Definition | { readonly validate: Definition };
  const validate = 'validate' in definition ? definition.validate : definition;
  return validate instanceof RegExp ? validate.test(text) : validate(text);
}

type Definition = RegExp | ((text: string) => boolean);
