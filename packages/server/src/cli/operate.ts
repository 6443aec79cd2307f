import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Operator, openOperator } from '@patchbay/core';
import { type LoadedServerConfig, loadServerConfig } from '../load-server-config.ts';
import { createCommandLogger } from '../logger.ts';
import type { CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { type ConfigOptions, configOf } from './options.ts';
import { whileWaiting } from './remote.ts';

/** Options of every command that works on the storage of the config. */
export interface OperatorOptions extends ConfigOptions {
  readonly tenant?: string;
}

/** The storage that the built-in config has in a folder. */
interface BuiltInStorage {
  readonly file: string;
  /** It does not exist, and would be created. */
  readonly isNew: boolean;
}

interface OperatorSettings {
  /** Whether the storage is migrated first, if the config says so. Default: yes. */
  readonly migrate?: boolean;
  /** Whether to continue with the storage of the built-in config if there is no config file. Default: if it exists. */
  readonly admit?: (storage: BuiltInStorage) => Promise<boolean>;
}

/** Run a command on the storage of its config, alongside servers that run on it. Its exit code. */
export async function operate(
  context: CliContext,
  options: OperatorOptions,
  work: (operator: Operator) => Promise<number | undefined>,
  { migrate = true, admit = refuseNew }: OperatorSettings = {},
): Promise<number | undefined> {
  const { cwd, env, output } = context;
  const logger = createCommandLogger(env);
  const loaded = await loadServerConfig({ file: configOf(options, context), cwd, env, logger });
  const storage = builtInStorage(loaded);
  if (storage && !(await admit(storage))) return exitCodes.failure;
  const place = loaded.file ?? storage?.file ?? 'the built-in config';
  const open = () => openOperator(loaded.app, { logger, directory: loaded.directory, migrate });
  await using operator = await whileWaiting(`the storage of ${place}`, (text) => output.note(text), open);
  return await work(operator);
}

/** Commands that read or change what is stored have nothing to do in a storage that does not exist. */
async function refuseNew({ file, isNew }: BuiltInStorage): Promise<true> {
  if (!isNew) return true;
  const where = 'go to the folder of the server, or name its config with --config';
  throw new UsageError(`there is no config file here, and no storage at ${file}: ${where}`);
}

function builtInStorage({ app, file: config, directory }: LoadedServerConfig): BuiltInStorage | undefined {
  const { file } = Object(app.storage?.with) as { readonly file?: unknown };
  if (config !== undefined || typeof file !== 'string') return undefined;
  const path = resolve(directory, file);
  return { file: path, isNew: !existsSync(path) };
}
