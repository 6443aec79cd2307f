import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { createClient } from '@patchbay/client';
import { filesOfConfig } from '@patchbay/core';
import type { CliContext } from '../cli/cli-context.ts';
import { announceServer, openDevelopmentKey } from '../cli/development-key.ts';
import type { ConfigReloader } from '../config-reloader.ts';
import type { Stoppable } from '../signals.ts';
import type { StartOptions } from '../start.ts';
import { developmentWelcome, localUrl } from '../welcome.ts';
import { adaptForDevelopment, assertDevelopment } from './development-access.ts';
import { startDevelopmentServer } from './development-server.ts';
import { createFreshModules } from './fresh-modules.ts';
import { hashOf, isFunctionFile, listFolders } from './function-folders.ts';
import { createFunctionPusher } from './function-pusher.ts';
import { createSettler, watchFolders } from './watch-folders.ts';

/** `patchbay dev`, as it was typed. */
interface DevelopmentOptions extends StartOptions {
  readonly context: CliContext;
  /** Folder with one subfolder per function. */
  readonly dir: string;
  /** Whether functions are tested once they are pushed. */
  readonly test: boolean;
}

const TOKEN_BYTES = 32;
const LOOPBACK = '127.0.0.1';
const configName = /^patchbay\.config\.(ya?ml|json|m?[jt]s)$/;

/** A development server: it follows its config, the files that the config names, and a folder of functions. */
export async function startDevelopment(options: DevelopmentOptions): Promise<Stoppable & ConfigReloader> {
  const { config, cwd, env, logger, show, test } = options;
  const root = resolve(cwd, options.dir);
  const ownKey = env['PATCHBAY_BOOTSTRAP_KEY'] || undefined;
  // Before anything is created; the config may specify another address.
  assertDevelopment(env['HOST'] || LOOPBACK, env, ownKey);
  const made = ownKey === undefined ? await openDevelopmentKey(cwd) : undefined;
  const key = ownKey ?? made?.key ?? '';
  const own = randomBytes(TOKEN_BYTES).toString('base64url');
  logger.redactor.hide([key, own]);

  const modules = createFreshModules();
  let texts: readonly string[] = [];
  /** @returns the config file and those that it reads. */
  const follow = async (file: string | undefined): Promise<readonly string[]> => {
    if (file === undefined) return [];
    if (/\.m?[jt]s$/.test(file)) modules.follow([file]);
    // Loading reports its faults; the files that it named before are watched until then.
    const found = await filesOfConfig(file).catch(() => undefined);
    modules.follow(found?.modules ?? []);
    texts = found?.texts ?? texts;
    return [file, ...texts];
  };
  const named = config === undefined ? undefined : resolve(cwd, config);
  await follow(named ?? (await onlyConfigIn(cwd)));

  const server = await startDevelopmentServer({
    ...options,
    root,
    adapt: adaptForDevelopment({ own, key }),
    assertHost: (host) => assertDevelopment(host, env, ownKey),
  });
  const url = (): string => `${server.url}${server.loaded.server.basePath.functions}`;
  const announce = () => announceServer(cwd, { url: localUrl(url()), pid: process.pid, hasKey: ownKey === undefined });
  let retract = await announce();
  const stopping = new AbortController();
  const pusher = createFunctionPusher({
    // No prompts in the middle of a log.
    context: { ...options.context, isInteractive: false, signal: stopping.signal },
    root,
    logger,
    test,
    client: () => ({ client: createClient({ baseUrl: url(), apiKey: own }), url: url() }),
  });

  /** Hashes of the files that the config consists of, as they were when it was read. */
  let known = new Map<string, string | undefined>();
  const configFiles = async (): Promise<readonly string[]> => {
    const file = named ?? (await onlyConfigIn(cwd));
    return [...new Set([...(await follow(file)), ...modules.files()])];
  };
  const hashes = async (): Promise<typeof known> => {
    const files = await configFiles();
    return new Map(await Promise.all(files.map(async (file) => [file, await hashOf(file)] as const)));
  };
  const reloadIfChanged = async (): Promise<void> => {
    const now = await hashes();
    const files = [...new Set([...known.keys(), ...now.keys()])].filter((file) => known.get(file) !== now.get(file));
    if (files.length === 0) return;
    known = now;
    const changedModules = files.filter((file) => modules.files().includes(file));
    logger.info(`changed: ${files.map((file) => relative(cwd, file)).join(', ')}`);
    if (changedModules.length > 0 && !modules.canRefresh) {
      logger.warn('this version of Node cannot reload modules: use 22.15 or newer, or restart', { changedModules });
    }
    modules.invalidate(changedModules);
    const before = url();
    const since = Date.now();
    const { status } = await server.reload();
    // The storage may have changed; and what failed before may work now.
    if (status === 'reloaded') pusher.forget();
    // Files of the new config were read just now, or a moment before a change.
    for (const [file, hash] of await hashes()) {
      if (known.has(file)) continue;
      const isOlder = (await changedAt(file)) < since;
      known.set(file, isOlder ? hash : 'read too early');
      if (!isOlder) settler.wake();
    }
    if (url() === before) return;
    retract = await announce();
  };

  const tell = (error: unknown): void => {
    if (!stopping.signal.aborted) logger.error('changes cannot be watched', { problems: [watchProblem(error)] });
  };
  const settler = createSettler(async () => {
    await watchAll();
    await reloadIfChanged();
    await watchAll();
    if (!stopping.signal.aborted) await pusher.push();
  }, tell);
  const watch = watchFolders((folder, name) => {
    const isFunction =
      folder === root ? !name?.startsWith('.') : dirname(folder) === root && isFunctionFile(name ?? '');
    const isConfig = named === undefined && folder === cwd && configName.test(name ?? '');
    const file = join(folder, name ?? '');
    const isAbove = root.startsWith(file) || [...known.keys()].some((each) => each.startsWith(file));
    if (name === undefined || isFunction || isConfig || known.has(file) || isAbove) settler.wake();
  });
  const watchAll = async (): Promise<void> => {
    const functions = (await listFolders(root)).map((name) => join(root, name));
    const files = [...known.keys(), ...(await configFiles())].map((file) => dirname(file));
    watch.set([cwd, dirname(root), root, ...functions, ...files]);
  };

  known = await hashes();
  const signIn = options.context.isInteractive ? server.createSignInLink() : undefined;
  const shownKey = ownKey === undefined ? key : undefined;
  show(developmentWelcome({ server, key: shownKey, file: made?.file, root, cwd, signIn }));
  logger.info('listening', { url: server.url });
  settler.wake();

  return {
    reload: () => server.reload(),
    async close() {
      stopping.abort();
      watch.close();
      await settler.close();
      modules.close();
      await retract();
      await server.close();
    },
  };
}

function watchProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EMFILE') return message;
  return `${message}: this system lets too few folders be watched; raise fs.inotify.max_user_watches and max_user_instances`;
}

/** Milliseconds since the epoch; 0 for a missing file. */
async function changedAt(file: string): Promise<number> {
  return await stat(file).then(
    ({ ctimeMs }) => ctimeMs,
    () => 0,
  );
}

/** The config file of a folder, if there is exactly one. */
async function onlyConfigIn(folder: string): Promise<string | undefined> {
  const found = (await readdir(folder)).filter((name) => configName.test(name));
  return found.length === 1 ? join(folder, found[0] ?? '') : undefined;
}
