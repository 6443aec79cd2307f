const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** An interval, such as `90s`, `5m`, `1h` or `7d`. */
export const intervalPattern = '^[1-9]\\d{0,5}[smhd]$';

/** The milliseconds of an interval. @throws Error for other strings. */
export function intervalMs(text: string): number {
  if (!new RegExp(intervalPattern).test(text)) {
    throw new Error('is a number of seconds, minutes, hours or days, such as 90s, 5m, 1h or 7d');
  }
  return Number(text.slice(0, -1)) * unitMs[text.slice(-1) as keyof typeof unitMs];
}
