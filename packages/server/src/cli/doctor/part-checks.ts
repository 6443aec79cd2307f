import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createApp, openOperator, PatchbayError } from '@patchbay/core';
import { createServiceRef, type Executor } from '@patchbay/core/plugin';
import type { LoadedServerConfig } from '../../load-server-config.ts';
import { createLogger } from '../../logger.ts';
import type { Check } from './check.ts';

type Loaded = Pick<LoadedServerConfig, 'app' | 'directory'>;

/** The mounted executor is registered under its kind. */
const executor = createServiceRef<Executor>('executor');

const STANDARD_ERROR = 2;
/** Root secrets that others can read are worth a word. */
const OTHERS = 0o077;

export async function checkSecret({ app, directory }: Loaded): Promise<Check> {
  const name = 'secret';
  if (app.secret !== undefined) return { name, status: 'pass', detail: 'is in the config' };
  if (app.secretFile === undefined) {
    return { name, status: 'warn', detail: 'neither secret nor secretFile is set: keys end with the process' };
  }
  const file = resolve(directory, app.secretFile);
  const found = await stat(file).catch(() => undefined);
  if (!found) return { name, status: 'pass', detail: `${file} will be made at the first start` };
  const isOpen = process.platform !== 'win32' && (found.mode & OTHERS) !== 0;
  return isOpen
    ? { name, status: 'warn', detail: `${file} can be read by other users: chmod 600 it` }
    : { name, status: 'pass', detail: file };
}

/** Open the store, and close it; nothing is migrated, and no secret made. A file that is not there yet is made, empty. */
export async function checkStorage({ app, directory }: Loaded): Promise<Check> {
  const name = 'storage';
  if (!app.storage) return { name, status: 'warn', detail: 'none is set: everything ends with the process' };
  try {
    const throwaway = randomBytes(32).toString('hex');
    const { secretFile: _, ...rest } = app;
    const operator = await openOperator({ ...rest, secret: throwaway, autoMigrate: false }, { directory });
    const { status, detail = 'opens' } = await operator.storageHealth();
    await operator[Symbol.asyncDispose]();
    return { name, status, detail };
  } catch (error) {
    return { name, status: 'fail', detail: messageOf(error) };
  }
}

/** Start what runs functions, alone, and hear what it says of its jail. */
export async function checkExecutor({ app, directory }: Loaded, env: NodeJS.ProcessEnv): Promise<Check> {
  const name = 'executor';
  if (!app.executor) return { name, status: 'warn', detail: 'none is set: functions with code cannot run' };
  const logger = createLogger(STANDARD_ERROR);
  logger.setLevel('error');
  try {
    await using started = await createApp(
      { patchbay: 1, executor: app.executor, secret: randomBytes(32).toString('hex') },
      { directory, env, logger },
    );
    const { executor: health } = (await started.host.health()).parts;
    const { status = 'pass', detail = 'runs' } = health ?? {};
    const { jail } = started.host.resolve(executor).describe?.() ?? {};
    if (jail !== 'none') return { name, status, detail };
    return {
      name,
      status: 'fail',
      detail: `${detail}; without a jail, only Deno's permissions hold the code of functions`,
    };
  } catch (error) {
    return { name, status: 'fail', detail: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return PatchbayError.is(error) ? error.message : String((error as Error).message ?? error);
}
