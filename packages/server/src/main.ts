#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { boundHeap } from './bound-heap.ts';
import { type Command, help, parseCommandLine } from './command-line.ts';
import { runOperatorCommand } from './commands/run-operator-command.ts';
import { describeFailure } from './failure-text.ts';
import { createLogger } from './logger.ts';
import { nodeVersionFault } from './node-version.ts';
import { releaseStartMemory } from './release-start-memory.ts';
import { start } from './start.ts';
import { endOnUnforeseen, stopOnSignals } from './stop-on-signals.ts';
import { startWorker } from './worker/start-worker.ts';

// Standard output has the log and nothing else; what is for people goes to standard error.
const show = (text: string): void => void process.stderr.write(text);

/** Late enough not to delay the first answers. */
const RELEASE_AFTER_MS = 1_000;

const fail = (error: unknown): void => {
  const { text, exitCode } = describeFailure(error);
  show(`patchbay: ${text}\n`);
  process.exitCode = exitCode;
};

async function run(command: Command): Promise<void> {
  if (command.name === 'help') return void process.stdout.write(help);
  if (command.name === 'version') {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    return void process.stdout.write(`${version}\n`);
  }
  const fault = nodeVersionFault(process.versions.node);
  if (fault !== undefined) throw new Error(fault);
  if (command.name === 'operator') {
    const output = {
      result: (text: string) => void process.stdout.write(`${text}\n`),
      note: (text: string) => show(`${text}\n`),
    };
    process.exitCode = await runOperatorCommand(command.command, { cwd: process.cwd(), env: process.env, output });
    return;
  }
  boundHeap();
  const logger = createLogger();
  endOnUnforeseen(logger);
  process.once('exit', () => logger.flush());
  const common = { cwd: process.cwd(), env: process.env, logger, show };
  const server =
    command.name === 'worker'
      ? await startWorker({ ...common, ...command.command })
      : await start({ ...common, config: command.config });
  stopOnSignals(server, logger);
  setTimeout(releaseStartMemory, RELEASE_AFTER_MS).unref();
}

try {
  await run(parseCommandLine(process.argv.slice(2), process.env));
} catch (error) {
  fail(error);
}
