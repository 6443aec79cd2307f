import { styleText } from 'node:util';
import { pusherId } from './dev/development-access.ts';

type Style = Parameters<typeof styleText>[0];

interface Line {
  readonly level: string;
  readonly time: string;
  readonly message: string;
  readonly problems?: readonly string[];
  readonly [field: string]: unknown;
}

/** Fields that are left out: they repeat the message, or are only useful for searching. */
const untold: ReadonlySet<string> = new Set(
  'level time message problems function functions outcome passed failed id requestId tenant plugin'.split(' '),
);
/** Of a longer list, only the length is shown. */
const SHOWN = 5;
const marks: Readonly<Record<string, readonly [string, Style]>> = {
  error: ['✗', 'red'],
  warn: ['!', 'yellow'],
  info: ['·', 'dim'],
  debug: ['·', 'dim'],
};

/** Lines of the log for a person at a terminal: what happened, how long it took, and each problem on a line. */
export function readableLog(hasColors: boolean): (line: string) => string {
  const styled = (style: Style, text: string) => (hasColors ? styleText(style, text, { validateStream: false }) : text);
  return (line) => {
    const entry = parse(line);
    if (entry === undefined) return line;
    // Their outcome has its own line.
    if (entry.message === 'request' && entry['caller'] === pusherId) return '';
    const [mark, style] = marks[entry.level] ?? ['·', 'dim'];
    const time = new Date(entry.time).toTimeString().slice(0, 8);
    const problems = (entry.problems ?? []).map((problem) => `           ${problem}\n`);
    const text =
      entry.message === 'request' ? requestText(entry) : `${ownerOf(entry)}${entry.message}${detailsOf(entry)}`;
    const isFailure = entry.level === 'error' || entry.level === 'warn';
    return [
      `${styled('dim', time)} ${styled(style, mark)} ${isFailure ? styled(style, text) : text}\n`,
      ...problems,
    ].join('');
  };
}

function requestText({ method, route, status, ms }: Line): string {
  return `${[method, route ?? '-', status].map(String).join(' ')}  ${Math.round(Number(ms))} ms`;
}

function ownerOf({ plugin }: Line): string {
  return typeof plugin === 'string' ? `${plugin}: ` : '';
}

function detailsOf({ ms, ...entry }: Line): string {
  const details = Object.entries(entry).flatMap(([name, value]) => {
    if (untold.has(name) || value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    return [`${name} ${textOf(value)}`];
  });
  if (typeof ms === 'number') details.push(`${Math.round(ms)} ms`);
  return details.length > 0 ? `  (${details.join(', ')})` : '';
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length > SHOWN ? String(value.length) : value.map(textOf).join(' ');
  const { message } = Object(value) as { readonly message?: unknown };
  if (typeof message === 'string') return message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}

/** How a log is written to a stream: as lines for people at a terminal, else as JSON. */
export function logFormat(
  { isTTY }: { readonly isTTY?: boolean },
  { env, json = false }: { readonly env: NodeJS.ProcessEnv; readonly json?: boolean },
): ((line: string) => string) | undefined {
  return isTTY && !json ? readableLog(!env['NO_COLOR']) : undefined;
}
