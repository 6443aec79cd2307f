import type { Logger } from '../context.ts';

/** Drops all lines: the default logger of an app. The core never writes to the console. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The same logger with `fields` on every line. Fields of a line take precedence. */
export function bindLogger(logger: Logger, fields: object): Logger {
  return {
    debug: (message, more) => logger.debug(message, { ...fields, ...more }),
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  };
}
