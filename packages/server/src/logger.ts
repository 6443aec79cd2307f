import { createRedactor } from '@patchbay/core';
import type { Logger, Telemetry } from '@patchbay/core/plugin';
import { pino } from 'pino';
import { logFormat } from './readable-log.ts';

/** A logger that writes one JSON object per line to standard output. */
export interface ServerLogger extends Logger {
  /** Applied to every line. */
  readonly redactor: ReturnType<typeof createRedactor>;
  setLevel(level: LogLevel): void;
  /** Add lines that another process has logged. */
  pass(lines: string): void;
  /** Called with the number of lines that were dropped, because standard output is not read. */
  whenDropped(listener: (lines: number) => void): void;
  /** Write what is still buffered; for the last moment before the process ends. */
  flush(): void;
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Bytes that are buffered for a slow reader. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Secrets are redacted by the name of their field, and known secrets everywhere. Writing does not block: lines wait for a slow
 * reader in memory, and beyond a limit they are dropped and counted.
 *
 * @param format Converts a line of JSON with its line end, for human readers.
 */
export function createLogger(
  file: number | string = 1,
  format: (line: string) => string = (line) => line,
  maxWaitingBytes = MAX_WAITING_BYTES,
): ServerLogger {
  const redactor = createRedactor();
  const destination = pino.destination({ dest: file, sync: false, maxLength: maxWaitingBytes });
  // The reader of the log is gone; that is no reason to stop serving.
  destination.on('error', () => {});
  const batch = new LineBatch((text) => destination.write(text));
  const write = (line: string): void => batch.write(format(redactor.text(line)));
  const timestamp = createTimestamp();
  const writer = pino(
    {
      base: null,
      timestamp,
      messageKey: 'message',
      errorKey: 'error',
      formatters: { level: (level) => ({ level }) },
    },
    { write },
  );
  let dropped = 0;
  let listener = (_lines: number): void => {};
  destination.on('drop', (text: string) => {
    const lines = text.split('\n').length - 1;
    dropped += lines;
    listener(lines);
  });
  destination.on('drain', () => {
    if (dropped === 0) return;
    writer.warn({ lines: dropped }, 'log lines were dropped: they were written faster than they were read');
    dropped = 0;
  });
  const at =
    (level: LogLevel) =>
    (message: string, fields: object = {}): void => {
      const shown = redactor.fields(fields);
      if (!isFlat(shown)) writer[level](shown, message);
      else if (writer.isLevelEnabled(level)) write(flatLine(`{"level":"${level}"${timestamp()}`, shown, message));
    };
  return {
    redactor,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    setLevel(level) {
      writer.level = level;
    },
    pass: (lines) => batch.write(lines),
    whenDropped(next) {
      listener = next;
    },
    flush() {
      try {
        batch.flush();
        destination.flushSync();
      } catch {
        // Not open yet, or closed by its reader: there is nowhere to write to.
      }
    },
  };
}

/** Whether no field is an object, such as an error, which pino serializes. */
function isFlat(fields: object): boolean {
  for (const name in fields) {
    const value = (fields as Record<string, unknown>)[name];
    if ((typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'bigint')
      return false;
  }
  return true;
}

/** The line that pino writes for flat fields, at a third of the cost: the access log has one for every request. */
function flatLine(head: string, fields: object, message: string): string {
  const members = JSON.stringify(fields).slice(1, -1);
  return `${head}${members === '' ? '' : `,${members}`},"message":${JSON.stringify(message)}}\n`;
}

/** The time of a line. Busy servers write several lines in a millisecond, and formatting a date costs as much as a field. */
function createTimestamp(): () => string {
  let [last, text] = [0, ''];
  return () => {
    const now = Date.now();
    if (now !== last) [last, text] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return text;
  };
}

/** Count dropped lines; from 0 at the start, so that the first ones show as an increase. */
export function countDroppedLines(logger: ServerLogger, { count }: Pick<Telemetry, 'count'>): void {
  count('patchbay.log.dropped', 0);
  logger.whenDropped((lines) => count('patchbay.log.dropped', lines));
}

const STANDARD_ERROR = 2;

/** A logger for commands, which log failures only, where results do not go. */
export function createCommandLogger(env: NodeJS.ProcessEnv): ServerLogger {
  const logger = createLogger(STANDARD_ERROR, logFormat(process.stderr, { env }));
  logger.setLevel('error');
  return logger;
}

/** This many characters are written at once. */
const BATCH_LENGTH = 65_536;

/** Longest time that a line waits. */
const FLUSH_MS = 100;

/**
 * Collects lines, and passes them on in pieces: a write per line would cost as much as the rest of a small request.
 * Streams with their own buffers count the buffered bytes with every line, which costs as much again.
 */
class LineBatch {
  readonly #write: (text: string) => void;
  #lines: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= BATCH_LENGTH) this.flush();
    // Does not keep the process alive: its end flushes.
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#length = 0;
    this.#write(text);
  }
}
