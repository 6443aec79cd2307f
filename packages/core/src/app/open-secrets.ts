import { systemClock } from '../base/clock.ts';
import { errorMessage } from '../base/error-message.ts';
import { checkAppConfig } from '../config/check-app-config.ts';
import type { ConfigProblem } from '../config/config-problem.ts';
import { type LoadOptions, loadMounts } from '../config/load-mounts.ts';
import { mountRef } from '../config/mounts.ts';
import type { Logger } from '../contracts/context.ts';
import type { Secrets } from '../contracts/secrets.ts';
import { services } from '../contracts/services.ts';
import { environmentSecrets } from '../defaults/environment-secrets.ts';
import { createProxyRules } from '../egress/proxy-rules.ts';
import { createTransport } from '../transport/create-transport.ts';
import { Container } from './container.ts';
import { createParts } from './create-parts.ts';
import { startParts } from './start-parts.ts';
import { stopParts } from './stop-parts.ts';

export interface OpenSecrets {
  /** Undefined where the plugin cannot be used, for the reasons in `problems`. */
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
  const checked = checkAppConfig({ patchbay: 1, secrets: section }, { interpolated: options.interpolated });
  const timeoutMs = checked.config.startTimeoutMs;
  const loaded = await loadMounts(checked.mounts, { ...options, timeoutMs });
  const problems = [...checked.problems, ...loaded.problems];
  const failed = (all: readonly ConfigProblem[]) => ({ secrets: undefined, problems: all, close: async () => {} });
  if (problems.length > 0) return failed(problems);

  const container = new Container();
  // Of the environment alone: the config that could name another proxy is not filled in yet.
  const { proxyFor } = createProxyRules({}, env);
  const transport = createTransport({ proxyFor });
  container.register(services.clock, () => systemClock);
  container.register(services.transport, () => transport);
  try {
    const required = loaded.mounts.map((one) => ({ ...one, optional: false }));
    const parts = createParts(required, container, { logger, directory, proxyFor });
    await startParts(parts, { timeoutMs, logger, onStarted: async () => {} });
    const secrets = container.resolve<Secrets>(mountRef('secrets', ['secrets']));
    const close = async () => {
      await stopParts(parts, logger);
      await transport.stop();
    };
    return { secrets, problems: [], close };
  } catch (error) {
    await transport.stop();
    return failed([{ path: ['secrets'], code: 'plugin_start_failed', message: errorMessage(error) }]);
  }
}
