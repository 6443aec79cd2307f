import { Container } from '../app/container.ts';
import { createParts } from '../app/create-parts.ts';
import { errorMessage } from '../app/error-message.ts';
import { startParts } from '../app/start-parts.ts';
import { stopParts } from '../app/stop-parts.ts';
import { systemClock } from '../app/system-clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Secrets } from '../contracts/secrets.ts';
import { services } from '../contracts/services.ts';
import { environmentSecrets } from '../defaults/environment-secrets.ts';
import { checkAppConfig } from './check-app-config.ts';
import type { ConfigProblem } from './config-problem.ts';
import { type LoadOptions, loadMounts } from './load-mounts.ts';

export interface OpenSecrets {
  /** Undefined where the plugin cannot be used. What is wrong with its mount, the check of the config reports. */
  readonly secrets: Secrets | undefined;
  readonly problems: readonly ConfigProblem[];
  close(): Promise<void>;
}

export interface OpenSecretsOptions extends Omit<LoadOptions, 'timeoutMs'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/**
 * Start the plugin for secrets ahead of all others, for as long as the config is read. An app made from the config
 * mounts it again, for plugins that ask for secrets while they run.
 *
 * @param mount The section `secrets` of the config, with its own texts filled in. Default: environment variables.
 */
export async function openSecrets(mount: unknown, options: OpenSecretsOptions): Promise<OpenSecrets> {
  const { env, logger, directory } = options;
  const section = mount === undefined ? { use: environmentSecrets(env) } : mount;
  const { mounts, config } = checkAppConfig({ patchbay: 1, secrets: section }, { interpolated: options.interpolated });
  const loaded = await loadMounts(mounts, { ...options, timeoutMs: config.startTimeoutMs });
  const container = new Container();
  container.register(services.clock, () => systemClock);
  try {
    const parts = createParts(loaded.mounts, container, { logger, directory });
    const startOptions = { timeoutMs: config.startTimeoutMs, logger, onStarted: async () => {} };
    await startParts(parts, startOptions);
    const secrets = parts.find(({ state }) => state === 'started')?.instance as Secrets | undefined;
    return { secrets, problems: [], close: async () => void (await stopParts(parts, logger)) };
  } catch (error) {
    const problem = { path: ['secrets'], code: 'plugin_start_failed', message: errorMessage(error) };
    return { secrets: undefined, problems: [problem], close: async () => {} };
  }
}
