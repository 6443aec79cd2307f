import type { ConfigSchema, OptionSchema } from '../contracts/config-schema.ts';
import { isTenantId } from '../contracts/tenant.ts';
import { isAddressRange } from '../egress/address-range.ts';
import { type AppConfig, appConfigSchema, type CompleteConfig } from './app-config.ts';
import { checkOptions, type OptionsContext } from './check-options.ts';
import { isPlainObject } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';
import { grantProblems } from './grant-problems.ts';
import { modelProblems } from './model-problems.ts';
import { listMounts, type NamedMount } from './mounts.ts';

export interface CheckedConfig {
  /** With defaults filled in. Of the right shape where there are no problems. */
  readonly config: CompleteConfig & Readonly<Record<string, unknown>>;
  /** What it was checked against. */
  readonly schema: OptionSchema;
  /** Those that can be loaded, also where something else is wrong. */
  readonly mounts: readonly NamedMount[];
  readonly problems: readonly ConfigProblem[];
}

export interface SectionsContext extends Pick<OptionsContext, 'interpolated'> {
  readonly sections?: Readonly<Record<string, ConfigSchema>>;
}

/** Check the top level of a config, and that of sections that a host adds to it. */
export function checkAppConfig(given: object, { sections = {}, interpolated }: SectionsContext = {}): CheckedConfig {
  const sectionSchemas = Object.entries(sections).map(
    ([name, schema]) => [name, { ...schema, type: 'object', default: {} } satisfies OptionSchema] as const,
  );
  const schema = {
    ...appConfigSchema,
    properties: { ...appConfigSchema.properties, ...Object.fromEntries(sectionSchemas) },
  };
  const { value, problems } = checkOptions(schema, given, [], { interpolated });
  const config = value as CheckedConfig['config'];
  return {
    config,
    schema: { type: 'object', ...schema },
    mounts: usableMounts(config),
    problems: [
      ...problems,
      ...nameProblems(config),
      ...grantProblems(config),
      ...tenantProblems(config),
      ...webhookProblems(config),
      ...modelProblems(config),
    ],
  };
}

function usableMounts(config: AppConfig): readonly NamedMount[] {
  const named = (mounts: unknown) => (isPlainObject(mounts) ? mounts : {}) as Record<string, never>;
  const { providers, authenticators } = config;
  const mounts = listMounts({ ...config, providers: named(providers), authenticators: named(authenticators) });
  return mounts.filter(
    ({ mount }) =>
      isPlainObject(mount) && mount.use !== undefined && (mount.with === undefined || isPlainObject(mount.with)),
  );
}

/** The name of a provider is the first part of its models' ids, so it has no slash and no letters that look alike. */
function nameProblems(config: AppConfig): ConfigProblem[] {
  return (['providers', 'authenticators'] as const).flatMap((key) =>
    Object.keys(config[key] ?? {})
      .filter((name) => !/^[a-z0-9][a-z0-9_-]*$/.test(name))
      .map((name) => {
        const message = 'is not a name: a to z, 0 to 9, "_" and "-", a letter or digit first';
        return { path: [key, name], code: 'invalid_name', message };
      }),
  );
}

function tenantProblems({ tenants }: AppConfig): ConfigProblem[] {
  return Object.keys(isPlainObject(tenants) ? tenants : {})
    .filter((name) => name !== '*' && !isTenantId(name))
    .map((name) => {
      const message =
        'is not a tenant: 1 to 128 letters, digits or ._:@|-, not beginning with patchbay:, or * for all others';
      return { path: ['tenants', name], code: 'invalid_name', message };
    });
}

function webhookProblems({ webhooks }: AppConfig): ConfigProblem[] {
  const allow: unknown = isPlainObject(webhooks) ? webhooks['allow'] : [];
  return (Array.isArray(allow) ? allow : []).flatMap((range: unknown, index) => {
    if (typeof range !== 'string' || isAddressRange(range)) return [];
    const message = 'must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8';
    return [{ path: ['webhooks', 'allow', index], code: 'invalid_range', message }];
  });
}
