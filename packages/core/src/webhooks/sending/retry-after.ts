/**
 * What `Retry-After` asks for, in milliseconds: a number of seconds, or the time until a date (RFC 9110, section 10.2.3).
 *
 * @param now Epoch milliseconds.
 */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1_000;
  // Every form of a date begins with the day of the week. `Date.parse` takes much more than that.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/u.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
