#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { nodeVersionFault } from '@patchbay/core/node-version';
import type { CliContext } from './cli/cli-context.ts';
import { exitCodes } from './cli/cli-failure.ts';
import { commandName } from './cli/command-name.ts';
import { runCommandLine } from './cli/program.ts';
import type { ConfigReloader } from './config-reloader.ts';
import type { ServerLogger } from './logger.ts';
import { boundHeap, releaseStartMemory } from './process-memory.ts';
import { endOnUnforeseen, reloadOnHangup, type Stoppable, stopOnSignals } from './signals.ts';

/** Late enough not to delay the first answers. */
const RELEASE_AFTER_MS = 1_000;

const STANDARD_OUTPUT = 1;

const cwd = process.cwd();
const { env, stdin, stdout, stderr } = process;
// Standard output has results, or the log, and nothing else; what is for people goes to standard error.
const show = (line: string): void => void stderr.write(line);

async function goOn(
  begin: (logger: ServerLogger, signal: AbortSignal) => Promise<Stoppable & ConfigReloader>,
  format?: (line: string) => string,
): Promise<void> {
  const reloadAtHangup = reloadOnHangup();
  boundHeap();
  const { createLogger } = await import('./logger.ts');
  const logger = createLogger(STANDARD_OUTPUT, format);
  endOnUnforeseen(logger);
  process.once('exit', () => logger.flush());
  reloadAtHangup(await stopOnSignals((signal) => begin(logger, signal), logger));
  setTimeout(releaseStartMemory, RELEASE_AFTER_MS).unref();
}

/** Machines that collect the log read JSON; at a terminal a person reads it. */
const formatFor = async (json: boolean) => (await import('./readable-log.ts')).logFormat(stdout, { env, json });

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
  isInteractive: stdin.isTTY && stderr.isTTY,
  // Ctrl-C ends the process, and with it whatever it has asked a server for.
  signal: new AbortController().signal,
  // Imported when they are needed: other commands start in a third of the time.
  serve: async (config, environment, { json }) =>
    await goOn(
      async (logger, signal) =>
        (await import('./start.ts')).start({ config, cwd, env: environment, logger, show, signal }),
      await formatFor(json),
    ),
  develop: async ({ json, ...command }, environment) => {
    const { readableLog } = await import('./readable-log.ts');
    await goOn(
      async (logger, signal) => {
        const { startDevelopment } = await import('./dev/start-development.ts');
        return await startDevelopment({ ...command, context, cwd, env: environment, logger, show, signal });
      },
      json ? undefined : readableLog(stdout.isTTY && !env['NO_COLOR']),
    );
  },
  work: async ({ json, ...command }) =>
    await goOn(
      async (logger, signal) =>
        (await import('./start-worker.ts')).startWorker({ ...command, cwd, env, logger, show, signal }),
      await formatFor(json),
    ),
};

// Who read the results has read enough: as when a signal had ended it.
stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? exitCodes.closedPipe : exitCodes.failure),
);
// The reader of standard error is gone; the work goes on.
stderr.on('error', () => {});

const fault = nodeVersionFault();
if (fault === undefined) process.exitCode = await runCommandLine(process.argv.slice(2), context);
else {
  show(`patchbay: ${fault}\n`);
  process.exitCode = 1;
}
