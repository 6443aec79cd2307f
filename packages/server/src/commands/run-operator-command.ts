import { openOperator } from '@patchbay/core';
import { loadServerConfig } from '../load-server-config.ts';
import { createLogger } from '../logger.ts';
import type { OperatorCommand, Output } from './command.ts';

const STANDARD_ERROR = 2;

/** Run a command on the storage of its config, beside servers that run on it. The exit code. */
export async function runOperatorCommand(
  command: OperatorCommand,
  { cwd, env, output }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly output: Output },
): Promise<number> {
  const logger = createLogger(STANDARD_ERROR);
  logger.setLevel('error');
  const loaded = await loadServerConfig({ file: command.config, cwd, env, logger });
  await using operator = await openOperator(loaded.app, {
    logger,
    directory: loaded.directory,
    migrate: command.migrate ?? true,
  });
  return await command.run(operator, output);
}
