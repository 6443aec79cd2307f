import { createRedactor } from '@patchbay/core';
import type { Logger } from '@patchbay/core/plugin';
import { pino } from 'pino';
import { LineBatch } from './line-batch.ts';

/** A logger that writes one JSON object per line to standard output. */
export interface ServerLogger extends Logger {
  /** Goes over every line. */
  readonly redactor: ReturnType<typeof createRedactor>;
  setLevel(level: LogLevel): void;
  /** Write what is still waiting; for the last moment before the process ends. */
  flush(): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Secrets are hidden by the name of their field, and those that are known wherever they turn up. Writing does not block.
 *
 * @param format What becomes of a line of JSON with its line end, for people who read it.
 */
export function createLogger(
  file: number | string = 1,
  format: (line: string) => string = (line) => line,
): ServerLogger {
  const redactor = createRedactor();
  const destination = pino.destination({ dest: file, sync: false });
  // Whoever read the log is gone; that is no reason to stop serving.
  destination.on('error', () => {});
  const batch = new LineBatch((text) => destination.write(text));
  const writer = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      errorKey: 'error',
      formatters: { level: (level) => ({ level }) },
      hooks: { streamWrite: (line) => format(redactor.text(line)) },
    },
    batch,
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
        batch.flush();
        destination.flushSync();
      } catch {
        // Not open yet, or closed by its reader: there is nowhere to write to.
      }
    },
  };
}
