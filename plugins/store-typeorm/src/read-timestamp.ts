/** The time that PostgreSQL writes as `2026-02-28 12:00:00.12+00`. */
export function readTimestamp(text: string): string {
  if (!text.endsWith('+00')) throw new Error('a session of PostgreSQL has a time zone other than UTC');
  const fraction = text.slice(20, -3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}
