import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createApp, openOperator, PatchbayError } from '@patchbay/core';
import { nodeVersionFault } from '@patchbay/core/node-version';
import { createServiceRef, type Executor } from '@patchbay/core/plugin';
import { describeFailure } from '../failure-text.ts';
import { assertCanListen } from '../listening.ts';
import type { LoadedServerConfig } from '../load-server-config.ts';
import { createCommandLogger } from '../logger.ts';
import type { ServerConfig } from '../server-config.ts';
import type { Action } from './cli-context.ts';
import { describeCliFailure, exitCodes } from './cli-failure.ts';
import { loadFor } from './config-actions.ts';
import type { ConfigOptions } from './options.ts';
import { printResult } from './output.ts';
import { whileWaiting } from './remote.ts';

/** Look at everything that a server needs, and tell it line by line. Asks no model, and changes nothing that is there. */
export const doctor: Action<ConfigOptions> = async (context, options) => {
  const all: Check[] = [];
  const tell = (...checks: readonly Check[]): void => {
    for (const check of checks) {
      all.push(check);
      const { name, status, detail } = check;
      printResult(context.output, options, check, `${status.padEnd(4)}  ${name}: ${detail}`);
    }
  };
  tell(checkMachine());
  const loaded = await loadFor(context, options).catch(async (error: unknown) => {
    tell({ name: 'config', status: 'fail', detail: (await describeCliFailure(error, context.command)).text });
  });
  if (loaded) {
    tell({ name: 'config', status: 'pass', detail: loaded.file ?? 'the built-in defaults' });
    tell(await checkSecret(loaded), await checkStorage(loaded), await checkExecutor(loaded, context.env));
    const say = (waiting: string) => context.output.note(waiting);
    tell(...(await whileWaiting('the providers', say, () => checkProviders(loaded, context.signal))));
    tell(await checkPort(loaded.server, context.signal));
  }
  const count = (status: Check['status']) => all.filter((check) => check.status === status).length;
  context.output.note(`passed: ${count('pass')}, warnings: ${count('warn')}, failures: ${count('fail')}`);
  return count('fail') === 0 ? exitCodes.ok : exitCodes.failure;
};

/** The result of one check. `skip`: there is nothing to check. */
export interface Check {
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
}

function checkMachine(): Check {
  const { versions, platform, arch } = process;
  const fault = nodeVersionFault(versions.node);
  if (fault !== undefined) return { name: 'node', status: 'fail', detail: fault };
  return { name: 'node', status: 'pass', detail: `${versions.node} on ${platform} ${arch}` };
}

const HEALTH_ANSWER_MS = 2_000;

/** Whether a server could listen, or one of ours does already. */
async function checkPort({ host, port }: Pick<ServerConfig, 'host' | 'port'>, signal: AbortSignal): Promise<Check> {
  const name = 'port';
  try {
    await assertCanListen(port, host);
    return { name, status: 'pass', detail: `${host}:${port} is free` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`;
    const answer =
      code === 'EADDRINUSE'
        ? await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(HEALTH_ANSWER_MS)]) }).catch(
            () => undefined,
          )
        : undefined;
    if (answer?.headers.has('patchbay-version')) {
      return { name, status: 'pass', detail: `a Patchbay server listens on ${host}:${port}` };
    }
    return { name, status: 'fail', detail: describeFailure(error).text };
  }
}

type Loaded = Pick<LoadedServerConfig, 'app' | 'directory'>;

/** The mounted executor is registered under its kind. */
const executor = createServiceRef<Executor>('executor');

/** Root secrets that others can read are worth a word. */
const OTHERS = 0o077;

async function checkSecret({ app, directory }: Loaded): Promise<Check> {
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
async function checkStorage({ app, directory }: Loaded): Promise<Check> {
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
  const logger = createCommandLogger(env);
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

const PROVIDER_ANSWER_MS = 5_000;
/** More, and tokens of OAuth servers are refused as not yet valid. */
const SKEW_MS = 5_000;

interface Reached {
  readonly check: Check;
  /** By how much the other clock is ahead of ours. */
  readonly aheadMs?: number;
}

/** Whether something answers where providers are. What is asked for costs nothing and needs no key; any answer is good. */
async function checkProviders(
  { app }: Pick<LoadedServerConfig, 'app'>,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const mounts = Object.entries(app.providers ?? {});
  const reached = await Promise.all(mounts.map(([name, mount]) => reach(name, Object(mount.with) as object, signal)));
  return [...reached.map(({ check }) => check), clock(reached)];
}

async function reach(mount: string, options: object, signal: AbortSignal): Promise<Reached> {
  const name = `provider ${mount}`;
  const { apiKey, baseUrl } = options as { readonly apiKey?: unknown; readonly baseUrl?: unknown };
  if (apiKey === '') return { check: { name, status: 'skip', detail: 'is off: it has no key' } };
  if (typeof baseUrl !== 'string')
    return { check: { name, status: 'skip', detail: 'works without an address, or goes to the one it has built in' } };
  const { origin } = new URL(baseUrl);
  try {
    const init = {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROVIDER_ANSWER_MS)]),
    };
    const start = Date.now();
    const { headers } = await fetch(origin, init as RequestInit);
    const date = Date.parse(headers.get('date') ?? '');
    // Their clock tells whole seconds.
    const aheadMs = date + 500 - (start + Date.now()) / 2;
    return {
      check: { name, status: 'pass', detail: `${origin} answers; its key was not tried` },
      ...(!Number.isNaN(date) && { aheadMs }),
    };
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    const why = cause?.code ?? (error as Error).name;
    return { check: { name, status: 'fail', detail: `${origin} does not answer: ${why}` } };
  }
}

function clock(reached: readonly Reached[]): Check {
  const name = 'clock';
  const [aheadMs] = reached.flatMap((each) => each.aheadMs ?? []);
  if (aheadMs === undefined) return { name, status: 'skip', detail: 'no provider answered to compare it with' };
  if (Math.abs(aheadMs) <= SKEW_MS) return { name, status: 'pass', detail: 'agrees with that of a provider' };
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return { name, status: 'warn', detail: `is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of a provider` };
}
