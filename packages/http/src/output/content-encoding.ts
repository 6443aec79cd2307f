/** Best first. */
const encodings = ['br', 'gzip'] as const;

/** A way to compress a response. */
export type ContentEncoding = (typeof encodings)[number];

/**
 * The best encoding for a client.
 *
 * @param accepted The `Accept-Encoding` of the request.
 * @returns Undefined if the client accepts none of them: send the text as is.
 * @example
 * ```ts
 * import { chooseEncoding } from '@patchbay/http';
 *
 * const encoding = chooseEncoding('gzip, br;q=0.9'); // 'br'
 * ```
 */
export function chooseEncoding(accepted = ''): ContentEncoding | undefined {
  const welcome = accepted
    .toLowerCase()
    .split(',')
    .filter((each) => !/;\s*q=0(?:\.0*)?\s*$/.test(each))
    .map((each) => each.replace(/;.*/, '').trim());
  return encodings.find((each) => welcome.includes(each));
}
