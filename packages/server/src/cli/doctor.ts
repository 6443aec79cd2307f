import { randomBytes } from 'node:crypto';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createApp, openOperator, PatchbayError } from '@patchbay/core';
import { nodeVersionFault } from '@patchbay/core/node-version';
import { createServiceRef, type Executor } from '@patchbay/core/plugin';
import { describeFailure } from '../failure-text.ts';
import { assertCanListen } from '../listening.ts';
import type { LoadedServerConfig } from '../load-server-config.ts';
import { createCommandLogger } from '../logger.ts';
import type { ServerConfig } from '../server-config.ts';
import type { Action } from './cli-context.ts';
import { exitCodes } from './cli-failure.ts';
import { loadFor } from './config-actions.ts';
import type { ConfigOptions } from './options.ts';
import { printResult } from './output.ts';
import { whileWaiting } from './remote.ts';

/** Check everything that a server needs, and report it line by line. Calls no model, and changes nothing that exists. */
export const doctor: Action<ConfigOptions> = async (context, options) => {
  const { output, signal } = context;
  const all: Check[] = [];
  const tell = (...checks: readonly Check[]): void => {
    for (const each of checks) {
      all.push(each);
      printResult(output, options, each, `${each.status.padEnd(4)}  ${each.name}: ${each.detail}`);
    }
  };
  tell(await check('node', checkMachine));
  let loaded: LoadedServerConfig | undefined;
  tell(
    await check('config', async () => {
      loaded = await loadFor(context, options);
      return pass(loaded.file ?? 'the built-in defaults');
    }),
  );
  if (loaded) {
    const { app, server, directory } = loaded;
    tell(await check('secret', () => checkSecret({ app, directory })));
    tell(await check('storage', () => checkStorage({ app, directory })));
    tell(await checkExecutor({ app, directory }, context.env));
    const say = (waiting: string) => output.note(waiting);
    tell(...(await whileWaiting('the providers', say, () => checkProviders(app.providers, signal))));
    tell(await check('port', () => checkPort(server, signal)));
  }
  const count = (status: Check['status']) => all.filter((each) => each.status === status).length;
  output.note(`passed: ${count('pass')}, warnings: ${count('warn')}, failures: ${count('fail')}`);
  return count('fail') === 0 ? exitCodes.ok : exitCodes.failure;
};

/** The result of one check. `skip`: there is nothing to check. */
interface Check {
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
}

type Finding = Omit<Check, 'name'>;

const pass = (detail: string): Finding => ({ status: 'pass', detail });
const warn = (detail: string): Finding => ({ status: 'warn', detail });
const fail = (detail: string): Finding => ({ status: 'fail', detail });
const skip = (detail: string): Finding => ({ status: 'skip', detail });

/** A check that throws has failed; the error contains the reason. */
async function check(name: string, look: () => Finding | Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    return { name, ...fail(describeFailure(error).text) };
  }
}

function checkMachine(): Finding {
  const { versions, platform, arch } = process;
  const fault = nodeVersionFault(versions.node);
  return fault === undefined ? pass(`${versions.node} on ${platform} ${arch}`) : fail(fault);
}

const HEALTH_ANSWER_MS = 2_000;

/** Whether a server could listen, or one of ours already does. */
async function checkPort({ host, port }: Pick<ServerConfig, 'host' | 'port'>, signal: AbortSignal): Promise<Finding> {
  try {
    await assertCanListen(port, host);
    return pass(`${host}:${port} is free`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`;
    const patience = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_ANSWER_MS)]);
    const answer = await fetch(url, { signal: patience }).catch(() => undefined);
    if (!answer?.headers.has('patchbay-version')) throw error;
    return pass(`a Patchbay server listens on ${host}:${port}`);
  }
}

type Loaded = Pick<LoadedServerConfig, 'app' | 'directory'>;

/** Root secrets that others can read are worth a warning. */
const OTHERS = 0o077;

/**
 * Exported for tests.
 *
 * @throws PatchbayError if a server would refuse to start with it. The length of a secret in the config is checked with the
 *   config.
 */
export async function checkSecret({ app, directory }: Loaded): Promise<Finding> {
  const { secret, secretFile } = app;
  if (secret !== undefined) return pass('is in the config');
  if (secretFile === undefined) return warn('neither secret nor secretFile is set: keys end with the process');
  const file = resolve(directory, secretFile);
  const found = await stat(file).catch(() => undefined);
  if (!found) {
    await assertCanMake(file);
    return pass(`${file} will be made at the first start`);
  }
  // An app reads it by the rules of every start; the environment has no part in it.
  await using _app = await createApp({ patchbay: 1, secretFile }, { directory, env: {} });
  const isOpen = process.platform !== 'win32' && (found.mode & OTHERS) !== 0;
  return isOpen ? warn(`${file} can be read by other users: chmod 600 it`) : pass(file);
}

/** @throws PatchbayError as the start does that makes the file and its folders */
async function assertCanMake(file: string): Promise<void> {
  const { R_OK, W_OK, X_OK } = constants;
  try {
    const folder = await nearestFolder(dirname(file));
    // A folder in which the file is made is also listed; one in which only folders are made is not.
    await access(folder, W_OK | X_OK | (folder === dirname(file) ? R_OK : 0));
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'an error';
    throw new PatchbayError('config_invalid', `secretFile ${file} cannot be used: ${reason}`, { cause });
  }
}

/** The folder itself, or the one in which it will be made. */
async function nearestFolder(folder: string): Promise<string> {
  try {
    // The slash refuses what is not a folder.
    await stat(`${folder}/`);
    return folder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return await nearestFolder(dirname(folder));
  }
}

/** Open the store, and close it; nothing is migrated, and no secret created. A missing file is created, empty. */
async function checkStorage({ app, directory }: Loaded): Promise<Finding> {
  if (!app.storage) return warn('none is set: everything ends with the process');
  const { secretFile: _, ...rest } = app;
  const config = { ...rest, secret: throwawaySecret() };
  // Where servers do not migrate, it must be migrated already.
  await using operator = await openOperator(config, { directory, migrate: app.autoMigrate === false });
  const { status, detail = 'opens' } = await operator.storageHealth();
  return { status, detail };
}

const throwawaySecret = (): string => randomBytes(32).toString('hex');

/** The mounted executor is registered under its kind. */
const executor = createServiceRef<Executor>('executor');

/** Start only what runs functions, and get its description of its jail. */
export async function checkExecutor({ app, directory }: Loaded, env: NodeJS.ProcessEnv): Promise<Check> {
  return await check('executor', async () => {
    if (!app.executor) return warn('none is set: functions with code cannot run');
    const config = { patchbay: 1, executor: app.executor, secret: throwawaySecret() } as const;
    await using started = await createApp(config, { directory, env, logger: createCommandLogger(env) });
    const { executor: health } = (await started.host.health()).parts;
    const { status = 'pass', detail = 'runs' } = health ?? {};
    const { jail } = started.host.resolve(executor).describe?.() ?? {};
    if (jail !== 'none') return { status, detail };
    return fail(`${detail}; without a jail, only Deno's permissions hold the code of functions`);
  });
}

const PROVIDER_ANSWER_MS = 5_000;
/** With more, tokens of OAuth servers are refused as not yet valid. */
const SKEW_MS = 5_000;

interface Reached {
  readonly check: Check;
  /** By how much the other clock is ahead of ours; undefined if it is not known. */
  readonly aheadMs: number | undefined;
}

/**
 * Whether anything responds at the providers' URLs. The requests cost nothing and need no key; any response is good.
 * Exported for tests.
 */
export async function checkProviders(
  providers: LoadedServerConfig['app']['providers'] = {},
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const mounts = Object.entries(providers);
  const reached = await Promise.all(
    mounts.map(async ([mount, { with: options }]): Promise<Reached> => {
      let aheadMs: number | undefined;
      const found = await check(`provider ${mount}`, async () => {
        const { finding, ...rest } = await reach(Object(options) as object, signal);
        ({ aheadMs } = rest);
        return finding;
      });
      return { check: found, aheadMs };
    }),
  );
  return [...reached.map((each) => each.check), await check('clock', () => checkClock(reached))];
}

async function reach(options: object, signal: AbortSignal): Promise<{ finding: Finding; aheadMs?: number }> {
  const { apiKey, baseUrl } = options as { readonly apiKey?: unknown; readonly baseUrl?: unknown };
  if (apiKey === '') return { finding: skip('is off: it has no key') };
  if (baseUrl === '') return { finding: skip('no baseUrl is set') };
  if (typeof baseUrl !== 'string') {
    return { finding: skip('works without an address, or goes to the one it has built in') };
  }
  // Without its text, which may contain a password.
  if (!URL.canParse(baseUrl)) return { finding: fail('its baseUrl is not a URL') };
  const { origin } = new URL(baseUrl);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PROVIDER_ANSWER_MS)]);
  try {
    const start = Date.now();
    const { headers } = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: patience });
    const date = Date.parse(headers.get('date') ?? '');
    // Their clocks report whole seconds.
    const aheadMs = date + 500 - (start + Date.now()) / 2;
    const finding = pass(`${origin} answers; its key was not tried`);
    return { finding, ...(!Number.isNaN(date) && { aheadMs }) };
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    const why = cause?.code ?? (error as Error).name;
    return { finding: fail(`${origin} does not answer: ${why}`) };
  }
}

function checkClock(reached: readonly Reached[]): Finding {
  const [aheadMs] = reached.flatMap((each) => each.aheadMs ?? []);
  if (aheadMs === undefined) return skip('no provider answered to compare it with');
  if (Math.abs(aheadMs) <= SKEW_MS) return pass('agrees with that of a provider');
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return warn(`is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of a provider`);
}
