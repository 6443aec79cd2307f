#!/usr/bin/env node
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { nodeVersionFault } from '@patchbay/core/node-version';
import type { CliContext } from './cli/cli-context.ts';
import { exitCodes } from './cli/cli-failure.ts';
import { commandName } from './cli/command-name.ts';
import { runCommandLine } from './cli/program.ts';
import { boundHeap, releaseUnlessBusy } from './process-memory.ts';
import { endOnUnforeseen, reloadOnHangup, stopOnSignals } from './signals.ts';

const STANDARD_OUTPUT = 1;

const cwd = process.cwd();
const { env, stdin, stdout, stderr } = process;
// Standard output is for results, or the log, and nothing else; messages for people go to standard error.
const show = (line: string): void => void stderr.write(line);

const goOn: CliContext['goOn'] = async (begin, format) => {
  const reloadAtHangup = reloadOnHangup();
  boundHeap();
  const { createLogger } = await import('./logger.ts');
  const logger = createLogger(STANDARD_OUTPUT, format);
  endOnUnforeseen(logger);
  process.once('exit', () => logger.flush());
  reloadAtHangup(await stopOnSignals((signal) => begin({ logger, show, signal }), logger));
  releaseUnlessBusy();
};

const context: CliContext = {
  cwd,
  env,
  command: commandName(env, cwd),
  output: {
    result: (line) => void stdout.write(`${line}\n`),
    note: (line) => show(`${line}\n`),
  },
  write: (piece) => void stdout.write(piece),
  readInput: () => text(stdin),
  readLines: () => createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY }),
  isInteractive: stdin.isTTY && stderr.isTTY,
  // Ctrl-C ends the process, and with it whatever it has requested from a server.
  signal: new AbortController().signal,
  interruption() {
    const interrupted = new AbortController();
    process.once('SIGINT', () => interrupted.abort());
    return interrupted.signal;
  },
  showProgress: (piece) => void (stderr.isTTY && show(`\r\u001b[K${piece}`)),
  goOn,
};

// The reader of the results has read enough: the same as if a signal had ended it.
stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? exitCodes.closedPipe : exitCodes.failure),
);
// The reader of standard error is gone; the work continues.
stderr.on('error', () => {});

const fault = nodeVersionFault();
if (fault === undefined) {
  process.exitCode = await runCommandLine(process.argv.slice(2), context);
  // The channel to the first process of a group would keep one running that could not start.
  if (process.exitCode !== 0 && process.connected) process.exit();
} else {
  show(`patchbay: ${fault}\n`);
  process.exitCode = 1;
}
