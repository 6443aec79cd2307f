// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the messages are about just that
import { systemClock } from '@patchbay/contracts/base/clock';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import type { Logger } from '@patchbay/contracts/context';
import type { Secrets } from '@patchbay/contracts/secrets';
import { services } from '@patchbay/contracts/services';
import { createProxyRules } from '@patchbay/outbound/egress/proxy-rules';
import { createTransport } from '@patchbay/outbound/transport/create-transport';
import { environmentSecrets } from '../built-in/environment-secrets.ts';
import { checkAppConfig } from '../config/check-app-config.ts';
import type { ConfigProblem } from '../config/config-problem.ts';
import { createLookup, type Interpolated, interpolate, type Reference } from '../config/interpolate.ts';
import { type LoadOptions, loadMounts } from '../config/load-mounts.ts';
import { mountRef } from '../config/mounts.ts';
import { Container } from './container.ts';
import { createParts, type Part, startParts, stopParts } from './parts.ts';

interface FilledConfig extends Interpolated {
  readonly value: Readonly<Record<string, unknown>>;
}

/** Interpolate all strings of a config, those of its section `secrets` first: others may need the plugin there. */
export async function fillConfig(
  config: Readonly<Record<string, unknown>>,
  options: Omit<OpenSecretsOptions, 'interpolated'>,
): Promise<FilledConfig> {
  const { env, directory } = options;
  const { secrets: section, ...others } = config;
  const plain = createLookup({ env, directory, secrets: undefined });
  const first = await interpolate(section, notSecret(plain), ['secrets']);

  const interpolated = new Set(first.references.keys());
  const needed = JSON.stringify(others).includes('${secret:');
  const opened = needed ? await openSecrets(first.value, { ...options, interpolated }) : undefined;
  try {
    const rest = await interpolate(others, createLookup({ env, directory, secrets: opened?.secrets }));
    const value = rest.value as FilledConfig['value'];
    return {
      value: section === undefined ? value : { ...value, secrets: first.value },
      references: new Map<string, readonly Reference[]>([...first.references, ...rest.references]),
      unfilled: new Set([...first.unfilled, ...rest.unfilled]),
      problems: [...first.problems, ...(opened?.problems ?? []), ...rest.problems],
    };
  } finally {
    await opened?.close();
  }
}

function notSecret(lookup: ReturnType<typeof createLookup>): ReturnType<typeof createLookup> {
  return async (reference) =>
    reference.kind === 'secret'
      ? { fault: 'cannot use ${secret:...}: secrets come from here' }
      : await lookup(reference);
}

interface OpenSecrets {
  /** Undefined if the plugin cannot be used, for the reasons in `problems`. */
  readonly secrets: Secrets | undefined;
  readonly problems: readonly ConfigProblem[];
  close(): Promise<void>;
}

interface OpenSecretsOptions extends Omit<LoadOptions, 'timeoutMs'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/**
 * Start the plugin for secrets before all others, while the config is read. An app created from the config
 * mounts it again, for plugins that resolve secrets at run time.
 *
 * @param mount The section `secrets` of the config, with its own strings filled in. Default: environment variables.
 */
async function openSecrets(mount: unknown, options: OpenSecretsOptions): Promise<OpenSecrets> {
  const { env, logger, directory } = options;
  const section = mount === undefined ? { use: environmentSecrets(env) } : mount;
  const checked = checkAppConfig({ patchbay: 1, secrets: section }, { interpolated: options.interpolated });
  const timeoutMs = checked.config.startTimeoutMs;
  const loaded = await loadMounts(checked.mounts, { ...options, timeoutMs });
  const problems = [...checked.problems, ...loaded.problems];
  const failed = (all: readonly ConfigProblem[]) => ({ secrets: undefined, problems: all, close: async () => {} });
  if (problems.length > 0) return failed(problems);

  const container = new Container();
  // From the environment only: the config that could set another proxy is not interpolated yet.
  const { proxyFor } = createProxyRules({}, env);
  const transport = createTransport({ proxyFor });
  container.register(services.clock, () => systemClock);
  container.register(services.transport, () => transport);
  let parts: readonly Part[] = [];
  const close = async () => {
    await stopParts(parts, logger);
    await transport.stop();
  };
  try {
    const required = loaded.mounts.map((one) => ({ ...one, optional: false }));
    parts = createParts(required, container, { logger, directory, proxyFor });
    await startParts(parts, { timeoutMs, logger });
    return { secrets: container.resolve<Secrets>(mountRef('secrets', ['secrets'])), problems: [], close };
  } catch (error) {
    await close();
    return failed([{ path: ['secrets'], code: 'plugin_start_failed', message: errorMessage(error) }]);
  }
}
