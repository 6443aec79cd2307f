import { createRedactor, type Redactor } from '@patchbay/core';
import type { Logger } from '@patchbay/core/plugin';
import { pino } from 'pino';

/** A logger that writes one JSON object per line to standard output. */
export interface ServerLogger extends Logger {
  /** Goes over every line. */
  readonly redactor: Redactor;
  setLevel(level: LogLevel): void;
  /** Write what is still waiting; for the last moment before the process ends. */
  flush(): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Longest time that a line waits before it is written. */
const FLUSH_MS = 100;

/** Secrets are hidden by the name of their field, and those that are known wherever they turn up. Writing does not block. */
export function createLogger(file: number | string = 1): ServerLogger {
  const redactor = createRedactor();
  // In pieces: a write for each line would cost as much as the rest of a small request.
  const destination = pino.destination({ dest: file, sync: false, minLength: 8_192, periodicFlush: FLUSH_MS });
  // Whoever read the log is gone; that is no reason to stop serving.
  destination.on('error', () => {});
  const writer = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      errorKey: 'error',
      formatters: { level: (level) => ({ level }) },
      hooks: { streamWrite: (line) => redactor.text(line) },
    },
    destination,
  );
  const at =
    (level: LogLevel) =>
    (message: string, fields: object = {}): void =>
      writer[level](redactor.fields(fields), message);
  return {
    redactor,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    setLevel(level) {
      writer.level = level;
    },
    flush() {
      try {
        destination.flushSync();
      } catch {
        // Not open yet, or closed by its reader: there is nowhere to write to.
      }
    },
  };
}
