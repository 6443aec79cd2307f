/** Warnings beyond this many characters are left out: clients and proxies limit headers. */
const MAX_LENGTH = 4_096;

/**
 * The header `Patchbay-Warning`: a list of strings (RFC 9651).
 *
 * @returns No header if there is no warning.
 */
export function warningHeader(warnings: readonly string[]): Readonly<Record<string, string>> {
  let value = '';
  for (const warning of new Set(warnings)) {
    const text = `"${warning.replaceAll(/[^ -~]+/g, '?').replaceAll(/["\\]/g, '\\$&')}"`;
    const next = value === '' ? text : `${value}, ${text}`;
    if (next.length > MAX_LENGTH) break;
    value = next;
  }
  return value === '' ? {} : { 'Patchbay-Warning': value };
}
