import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Operator, openOperator } from '@patchbay/core';
import { type LoadedServerConfig, loadServerConfig } from '../load-server-config.ts';
import { createLogger } from '../logger.ts';
import { logFormat } from '../readable-log.ts';
import { exitCodes } from './cli-failure.ts';
import type { Output } from './output.ts';
import { whileWaiting } from './remote.ts';

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

/** A command that works on the storage of a config. */
export interface OperatorCommand {
  readonly config: string | undefined;
  /** Whether the storage is migrated first, where the config has it so. Default: it is. */
  readonly migrate?: boolean;
  /** Whether to go on with the storage of the built-in config, where there is no config file. */
  readonly admit?: AdmitStorage;
  /** The exit code. */
  run(operator: Operator, output: Output): Promise<number>;
}

export type AdmitStorage = (storage: BuiltInStorage) => Promise<boolean>;

/** The storage that the built-in config has in a folder. */
interface BuiltInStorage {
  readonly file: string;
  /** It does not exist, and would be made. */
  readonly isNew: boolean;
}
