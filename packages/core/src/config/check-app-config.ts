import { didYouMean } from '@patchbay/contracts/base/names';
import type { ConfigSchema, OptionSchema } from '@patchbay/contracts/config-schema';
import { isTenantId } from '@patchbay/contracts/tenant';
import { isAddressRange } from '@patchbay/outbound/egress/address-range';
import { parseHostPattern } from '../functions/host-calls/grants.ts';
import { type AppConfig, appConfigSchema, type CompleteConfig } from './app-config.ts';
import { checkOptions, expectedFormat, type OptionsContext } from './check-options.ts';
import { type ConfigPath, isPlainObject } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';
import { listMounts, type NamedMount, namedKeys } from './mounts.ts';

interface CheckedConfig {
  /** With defaults filled in. Valid if there are no problems. */
  readonly config: CompleteConfig & Readonly<Record<string, unknown>>;
  readonly schema: OptionSchema;
  /** The loadable ones, even if there are other problems. */
  readonly mounts: readonly NamedMount[];
  readonly problems: readonly ConfigProblem[];
}

interface SectionsContext extends Pick<OptionsContext, 'interpolated'> {
  readonly sections?: Readonly<Record<string, ConfigSchema>>;
}

/** Validate the top level of a config, including sections of the host. */
export function checkAppConfig(given: object, { sections = {}, interpolated }: SectionsContext = {}): CheckedConfig {
  const sectionSchemas = Object.entries(sections).map(
    ([name, schema]) => [name, { ...schema, type: 'object', default: {} } satisfies OptionSchema] as const,
  );
  const withSections = {
    ...appConfigSchema,
    properties: { ...appConfigSchema.properties, ...Object.fromEntries(sectionSchemas) },
  };
  // The schema itself if possible: its names are compiled once.
  const schema = sectionSchemas.length > 0 ? withSections : appConfigSchema;
  const { value, problems } = checkOptions(schema, given, [], { interpolated, isProven: true });
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
  const named = Object.fromEntries(namedKeys.map((key) => [key, membersOf(config[key])]));
  const mounts = listMounts({ ...config, ...named });
  return mounts.filter(
    ({ mount }) =>
      isPlainObject(mount) && mount.use !== undefined && (mount.with === undefined || isPlainObject(mount.with)),
  );
}

const TENANT = '1 to 128 letters, digits or ._:@|-, not beginning with patchbay:';
const RANGE = `must be ${expectedFormat('address-range')}`;

/** The name of a provider is the first part of its model ids, so it has no slash and no look-alike letters. */
function nameProblems(config: AppConfig): readonly ConfigProblem[] {
  const isName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]*$/.test(name);
  const message = 'is not a name: a to z, 0 to 9, "_" and "-", a letter or digit first';
  return namedKeys.flatMap((key) =>
    Object.keys(config[key] ?? {}).flatMap((name) =>
      isName(name) ? [] : [{ path: [key, name], code: 'invalid_name', message }],
    ),
  );
}

function tenantProblems({ tenants }: AppConfig): readonly ConfigProblem[] {
  const message = `is not a tenant: ${TENANT}, or * for all others`;
  return Object.keys(membersOf(tenants)).flatMap((name) =>
    name === '*' || isTenantId(name) ? [] : [{ path: ['tenants', name], code: 'invalid_name', message }],
  );
}

function webhookProblems({ webhooks }: AppConfig): readonly ConfigProblem[] {
  const unfit = unfitTexts(membersOf(webhooks)['allow'], isAddressRange, ['webhooks', 'allow'], RANGE);
  return unfit.map((problem) => ({ ...problem, code: 'invalid_range' }));
}

/** Model ids whose provider is missing or not mounted: each request to such a model would fail. */
function modelProblems(config: AppConfig): readonly ConfigProblem[] {
  const providers = Object.keys(membersOf(config.providers));
  const aliases = Object.keys(membersOf(membersOf(config.gateway)['aliases']));
  const reserved = [
    ...aliases.filter((name) => /^(?:auto$|auto:|fn\/)/.test(name)).map((name) => ['gateway', 'aliases', name]),
    ...providers.filter((name) => name === 'fn').map((name) => ['providers', name]),
  ].map((path) => ({ path, code: 'invalid_name', message: 'is a name that requests use for something else' }));
  const unknown = modelReferences(config).flatMap(([path, id]) => {
    if (typeof id !== 'string' || id === '' || /^auto(?::|$)/.test(id)) return [];
    if (path[1] !== 'aliases' && aliases.includes(id)) return [];
    const slash = id.indexOf('/');
    if (slash <= 0 || slash === id.length - 1) {
      return [{ path, code: 'invalid_model', message: 'must be a model id, <provider>/<model>' }];
    }
    const provider = id.slice(0, slash);
    if (providers.includes(provider)) return [];
    const message = `belongs to a provider that is not mounted under "providers"${didYouMean(provider, providers)}`;
    return [{ path, code: 'provider_not_found', message }];
  });
  return [...reserved, ...unknown];
}

function modelReferences({ gateway, functions }: AppConfig): readonly (readonly [ConfigPath, unknown])[] {
  const known = Object.keys(membersOf(membersOf(gateway)['models']));
  const aliases = Object.entries(membersOf(membersOf(gateway)['aliases']));
  const settings = Object.entries(membersOf(membersOf(functions)['settings']));
  return [
    ...known.map((id) => [['gateway', 'models', id], id] as const),
    ...aliases.flatMap(([name, alias]) => {
      const { model, fallbacks } = membersOf(alias);
      const path = ['gateway', 'aliases', name];
      const listed = Array.isArray(fallbacks) ? fallbacks : [];
      return [
        [[...path, 'model'], model] as const,
        ...listed.map((id, index) => [[...path, 'fallbacks', index], id] as const),
      ];
    }),
    ...settings.flatMap(([name, of]) => {
      const path = ['functions', 'settings', name] as const;
      const { model, routing } = membersOf(of);
      const { fallbacks } = membersOf(routing);
      const others = Array.isArray(fallbacks) ? fallbacks : [];
      return [
        [[...path, 'model'], model] as const,
        ...others.map((id: unknown, index) => [[...path, 'routing', 'fallbacks', index], id] as const),
      ];
    }),
  ];
}

/** Shorter secrets could not be distinguished from other text when they are removed from a response. */
const LEAST_SECRET_LENGTH = 8;

const HOST = 'is no host: write api.acme.com, *.acme.com, api.acme.com:8443 or http://127.0.0.1:9000';
const NAME = 'is no name for a secret: letters, digits and "_", no digit first, and not "get"';
const VALUE = `is no secret that can be sent: at least ${LEAST_SECRET_LENGTH} visible characters of ASCII, on one line`;

function grantProblems({ functions }: AppConfig): readonly ConfigProblem[] {
  const { grants } = membersOf(functions);
  return (Array.isArray(grants) ? grants : []).flatMap((grant: unknown, index) => {
    const path = ['functions', 'grants', index];
    const { tenants, hosts, addresses, secrets } = membersOf(grant);
    return [
      ...unfitTexts(tenants, isTenantId, [...path, 'tenants'], `is no tenant: ${TENANT}`),
      ...unfitTexts(hosts, isHost, [...path, 'hosts'], HOST),
      ...unfitTexts(addresses, isAddressRange, [...path, 'addresses'], RANGE),
      ...Object.entries(membersOf(secrets)).flatMap(([name, secret]) =>
        secretProblems(name, membersOf(secret), [...path, 'secrets', name]),
      ),
    ];
  });
}

function secretProblems(
  name: string,
  { value, hosts }: Readonly<Record<string, unknown>>,
  path: ConfigPath,
): readonly ConfigProblem[] {
  const isName = /^[a-z_]\w{0,99}$/i.test(name) && name !== 'get';
  const isSendable =
    typeof value !== 'string' || (value.length >= LEAST_SECRET_LENGTH && /^[\u0021-\u007e]+$/.test(value));
  return [
    ...(isName ? [] : [{ path, code: 'invalid_grant', message: NAME }]),
    ...(isSendable ? [] : [{ path: [...path, 'value'], code: 'invalid_grant', message: VALUE }]),
    ...unfitTexts(hosts, isHost, [...path, 'hosts'], HOST),
  ];
}

/** Strings of a list that fail `fits`. Other values were already reported by the schema. */
function unfitTexts(
  texts: unknown,
  fits: (text: string) => boolean,
  path: ConfigPath,
  message: string,
): readonly ConfigProblem[] {
  if (!Array.isArray(texts)) return [];
  return texts.flatMap((text: unknown, index) =>
    typeof text === 'string' && !fits(text) ? [{ path: [...path, index], code: 'invalid_grant', message }] : [],
  );
}

const isHost = (text: string): boolean => parseHostPattern(text) !== undefined;

/** The members of an object; none for other values, which the schema has already reported. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}
