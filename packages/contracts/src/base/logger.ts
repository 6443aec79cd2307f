import type { Logger } from '../context.ts';

/** Drops all lines: the default logger of an app. The core never writes to the console. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
