const MAX_BYTES = 1_024;

/**
 * What of an answer is kept in the log of deliveries. People read it in terminals and browsers, so nothing stays in it
 * that moves cursors or turns the direction of text.
 */
export function responseExcerpt(body: Buffer, contentEncoding: string | undefined): string {
  // Nothing is ever decompressed: a few bytes can become gigabytes.
  if ((contentEncoding ?? 'identity').trim().toLowerCase() !== 'identity') return '';
  // As a stream, so that a character which is cut in two is left out.
  const text = new TextDecoder().decode(body.subarray(0, MAX_BYTES), { stream: true });
  return text
    .replace(/[\r\n\t]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
}
