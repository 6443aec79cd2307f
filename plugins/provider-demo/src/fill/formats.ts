import { isIPv4, isIPv6 } from 'node:net';

/** What a `format` of a schema asks for. */
export interface Format {
  /** Where values of the format may be in a text; each has to be checked. */
  readonly find: RegExp;
  /** As strict as the strictest validator in use, or stricter. */
  matches(text: string): boolean;
  /** Values that say nothing, for at least so many characters. */
  placeholders(minLength: number): readonly string[];
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostname = new RegExp(`^${label}(?:\\.${label})*$`, 'i');
const email = new RegExp(`^[a-z0-9_+-]+(?:\\.[a-z0-9_+-]+)*@(?:${label}\\.)+[a-z]{2,63}$`, 'i');
const uri = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?#](?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*)?$/i;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const zone = '(?:Z|[+-]\\d\\d:\\d\\d)';

const filler = (length: number, with_: string): string => with_.repeat(Math.max(0, length));

export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date', { find: /(?<!\d)\d{4}-\d\d-\d\d(?!\d)/g, matches: isDate, placeholders: () => ['1970-01-01'] }],
  [
    'time',
    {
      find: new RegExp(`(?<![\\dT])\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?${zone}`, 'g'),
      matches: isTime,
      placeholders: (min) => ['00:00:00Z', `00:00:00.${filler(min - 10, '0')}Z`],
    },
  ],
  [
    'date-time',
    {
      find: new RegExp(`(?<!\\d)\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?${zone}`, 'g'),
      matches: (text) => text[10] === 'T' && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
      placeholders: (min) => ['1970-01-01T00:00:00Z', `1970-01-01T00:00:00.${filler(min - 21, '0')}Z`],
    },
  ],
  [
    'email',
    {
      find: /[a-z0-9._+-]{1,64}@[a-z0-9.-]{1,253}[a-z]/gi,
      matches: (text) => text.length <= 320 && email.test(text),
      placeholders: (min) => ['demo@example.com', 'a@b.co', `${filler(min - 12, 'a')}@example.com`],
    },
  ],
  [
    'uri',
    {
      find: /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"'`)\]}]*[^\s<>"'`)\]}.,;:!?]/gi,
      matches: (text) => uri.test(text),
      placeholders: (min) => ['https://example.com/', 'a://b', `https://example.com/${filler(min - 20, 'a')}`],
    },
  ],
  [
    'uuid',
    {
      find: /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi,
      matches: (text) => uuid.test(text),
      placeholders: () => ['00000000-0000-0000-0000-000000000000'],
    },
  ],
  [
    'hostname',
    {
      find: /(?<![\w@.-])[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi,
      matches: (text) => text.length <= 253 && hostname.test(text),
      placeholders: (min) => ['example.com', 'a', `${filler(Math.ceil((min - 11) / 2), 'a.')}example.com`],
    },
  ],
  [
    'ipv4',
    {
      find: /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)/g,
      matches: isIPv4,
      placeholders: () => ['0.0.0.0', '100.100.100.100'],
    },
  ],
  [
    'ipv6',
    {
      find: /(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/gi,
      matches: isIPv6,
      placeholders: () => ['::', '0000:0000:0000:0000:0000:0000:0000:0000'],
    },
  ],
]);

function isDate(text: string): boolean {
  const [year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(2_000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isTime(text: string): boolean {
  const parts = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/.exec(text)?.slice(1) ?? [];
  const [hours = 24, minutes, seconds, zoneHours = 0, zoneMinutes = 0] = parts.map((part) => Number(part ?? 0));
  return hours < 24 && Number(minutes) < 60 && Number(seconds) < 60 && zoneHours < 24 && zoneMinutes < 60;
}
