import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openOperator } from '@patchbay/core';
import { type LoadedServerConfig, loadServerConfig } from '../load-server-config.ts';
import { logFormat } from '../log-format.ts';
import { createLogger } from '../logger.ts';
import { exitCodes } from './exit-codes.ts';
import type { BuiltInStorage, OperatorCommand, Output } from './operator-command.ts';
import { whileWaiting } from './say-waiting.ts';

const STANDARD_ERROR = 2;

/** Run a command on the storage of its config, beside servers that run on it. The exit code. */
export async function runOperatorCommand(
  command: OperatorCommand,
  { cwd, env, output }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly output: Output },
): Promise<number> {
  const logger = createLogger(STANDARD_ERROR, logFormat(process.stderr, { env }));
  logger.setLevel('error');
  const loaded = await loadServerConfig({ file: command.config, cwd, env, logger });
  const storage = builtInStorage(loaded);
  if (storage && command.admit && !(await command.admit(storage))) return exitCodes.failure;
  const place = loaded.file ?? storage?.file ?? 'the built-in config';
  const open = () =>
    openOperator(loaded.app, { logger, directory: loaded.directory, migrate: command.migrate ?? true });
  await using operator = await whileWaiting(`the storage of ${place}`, (text) => output.note(text), open);
  return await command.run(operator, output);
}

function builtInStorage({ app, file: config, directory }: LoadedServerConfig): BuiltInStorage | undefined {
  const { file } = Object(app.storage?.with) as { readonly file?: unknown };
  if (config !== undefined || typeof file !== 'string') return undefined;
  const path = resolve(directory, file);
  return { file: path, isNew: !existsSync(path) };
}
