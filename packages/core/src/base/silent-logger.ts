import type { Logger } from '../contracts/context.ts';

/** Drops everything: what an app logs to unless its host says otherwise. The core never writes to the console. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
