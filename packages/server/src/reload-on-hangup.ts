import { closeSync, openSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { App, AppConfig } from '@patchbay/core';
import { PatchbayError } from '@patchbay/core/plugin';
import { type LoadedServerConfig, loadServerConfig } from './load-server-config.ts';
import type { ServerLogger } from './logger.ts';

export interface ReloadOptions {
  readonly app: Pick<App, 'reload'>;
  /** What it runs with. */
  readonly loaded: LoadedServerConfig;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: ServerLogger;
  /** What a process makes of a config before it runs with it. Default: nothing. */
  readonly adapt?: (config: AppConfig) => AppConfig;
}

/**
 * Read the config file again at every SIGHUP, and go on with what it says. Whatever is wrong with it is logged, and
 * everything stays as it was.
 */
export function reloadOnHangup(options: ReloadOptions): void {
  const startedAtTerminal = hasTerminal();
  process.on('SIGHUP', () => {
    // The terminal was closed: nobody asks for a reload then, and whoever started the server expects it to end.
    if (startedAtTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM');
    else void reload(options);
  });
}

/** Read the file that is in use, and go on with it. Never rejects. */
export async function reload({ app, loaded, cwd, env, logger, adapt = same }: ReloadOptions): Promise<void> {
  const { file } = loaded;
  try {
    if (file === undefined) {
      throw new PatchbayError('config_invalid', 'there is no config file that could have changed');
    }
    const next = await loadServerConfig({ file, cwd, env, logger, again: true });
    const { changed, needsRestart } = await app.reload(adapt(next.app));
    logger.setLevel(next.server.logLevel);
    const fixed = [...needsRestart, ...sectionChanges(loaded, next)];
    logger.info('reloaded the config', { changed });
    if (fixed.length > 0) logger.warn('some of the new config takes a restart', { needsRestart: fixed });
  } catch (error) {
    if (!PatchbayError.is(error)) return logger.error('the config was not reloaded', { error });
    logger.error('the config was not reloaded', { code: error.code, problems: error.message.split('\n') });
  }
}

/** What the server itself was started with. */
function sectionChanges(before: LoadedServerConfig, after: LoadedServerConfig): string[] {
  return (['server', 'worker'] as const).flatMap((section) => {
    const [old, now]: Readonly<Record<string, unknown>>[] = [before[section], after[section]];
    return Object.keys({ ...old, ...now })
      .filter((key) => key !== 'logLevel' && !isDeepStrictEqual(old?.[key], now?.[key]))
      .map((key) => `${section}.${key}`);
  });
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

function same(config: AppConfig): AppConfig {
  return config;
}
