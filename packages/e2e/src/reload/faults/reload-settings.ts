import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Random } from '../../driver/random.ts';
import type { ConfigPlace } from './cluster.ts';

/** In force, and wider than any load of this test. */
const wideLimits = `key: { ${['all', 'execute', 'model'].map((kind) => `${kind}: { requests: 100000, burst: 100000 }`).join(', ')} }`;

/** Settings that change from one reload to the next. */
export interface ReloadSettings {
  readonly round: number;
  readonly hasSecond: boolean;
  readonly costWeight: number;
  readonly spares: number;
  readonly firstByteMs: number;
  readonly asyncConcurrency: number;
  readonly webhooksPerSecond: number;
  readonly retentionDays: number;
  readonly limits: string;
  readonly logLevel: 'info' | 'debug';
  readonly hasIssuer: boolean;
  readonly inputPrice: number;
  readonly keepAliveTimeoutMs: number;
}

/** One thing that an operator does. `rotate`: the content of the file with the key of a provider, and nothing else. */
export type ReloadAction = keyof typeof actions | 'rotate' | 'broken' | 'hanging' | 'twice';

export const firstSettings: ReloadSettings = {
  round: 0,
  hasSecond: false,
  costWeight: 1,
  spares: 1,
  firstByteMs: 20_000,
  asyncConcurrency: 2,
  webhooksPerSecond: 300,
  retentionDays: 30,
  limits: 'off: true',
  logLevel: 'info',
  hasIssuer: false,
  inputPrice: 1,
  keepAliveTimeoutMs: 2_000,
};

const actions = {
  addOrRemove: (settings) => ({ hasSecond: !settings.hasSecond }),
  routing: (_, random) => ({ costWeight: 1 + random.below(9), inputPrice: 1 + random.below(9) }),
  timeouts: (_, random) => ({
    firstByteMs: 20_000 + random.below(1_000),
    keepAliveTimeoutMs: 2_000 + random.below(1_000),
  }),
  executor: ({ spares }) => ({ spares: 3 - spares }),
  queues: (_, random) => ({
    asyncConcurrency: 1 + random.below(4),
    webhooksPerSecond: 100 + random.below(100),
    retentionDays: 10 + random.below(30),
  }),
  limits: (_, random) => ({
    limits: random.pick(['off: true', wideLimits, 'off: true, tenant: {}']),
  }),
  access: ({ hasIssuer, logLevel }) => ({
    hasIssuer: !hasIssuer,
    logLevel: logLevel === 'info' ? ('debug' as const) : ('info' as const),
  }),
} as const satisfies Readonly<Record<string, (settings: ReloadSettings, random: Random) => Partial<ReloadSettings>>>;

/** A short run has the first of them. */
export const reloadActions: readonly ReloadAction[] = [
  'rotate',
  'addOrRemove',
  'broken',
  'rotate',
  'executor',
  'twice',
  'timeouts',
  'routing',
  'addOrRemove',
  'queues',
  'hanging',
  'limits',
  'access',
];

export function changed(settings: ReloadSettings, action: ReloadAction, random: Random): ReloadSettings {
  const change = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined;
  return { ...settings, ...change?.(settings, random), round: settings.round + 1 };
}

/** As seen from the folder of a config, which is a temporary one. */
const hangingProvider = relative(
  join(tmpdir(), 'folder'),
  fileURLToPath(new URL('./hanging-provider.ts', import.meta.url)),
);

/** A tenant that only the config of this round has, so that the log says when it is in force. */
export function markOf({ round }: ReloadSettings): string {
  return `round-${round}`;
}

/** The config file of every process. The key of the provider is in another file. */
export function configText(
  settings: ReloadSettings,
  { storage, keyFile }: ConfigPlace,
  { baseUrl, hangs = false }: { readonly baseUrl: string; readonly hangs?: boolean },
): string {
  const { round, costWeight, spares, firstByteMs, asyncConcurrency, webhooksPerSecond, retentionDays } = settings;
  const { limits, logLevel, hasIssuer, hasSecond, inputPrice, keepAliveTimeoutMs } = settings;
  const provider = (name: string) => `
  ${name}:
    use: "@patchbay/provider-openai"
    with:
      apiKey: "\${file:${keyFile}}"
      baseUrl: ${baseUrl}
      timeouts: { firstByteMs: ${firstByteMs} }
      models:
        - { name: twin, vendor: none, pricing: { input: ${inputPrice}, output: 4 } }
        - { name: vectors, capabilities: [embeddings], dimensions: 8 }`;
  const issuer = `
  corp:
    use: "@patchbay/auth-oauth"
    with: { issuers: { corp: { issuer: "http://127.0.0.1:9/${round}", audience: [patchbay], tenant: corp } } }`;
  return `patchbay: 1
server: { logLevel: ${logLevel}, keepAliveTimeoutMs: ${keepAliveTimeoutMs}, drainTimeoutMs: 60000 }
worker: { drainTimeoutMs: 60000 }
secretFile: ./secret
storage: ${storage}
executor: { use: "@patchbay/executor-deno", with: { isolation: reuse, reuseIdleMs: 2000, spares: ${spares}, queueTimeoutMs: 60000 } }
executions: { timeoutMs: 60000, asyncConcurrency: ${asyncConcurrency} }
router: { use: "@patchbay/router-weighted", with: { weights: { balanced: { cost: ${costWeight} } } } }
limits: { ${limits} }
webhooks: { maxPerSecond: ${webhooksPerSecond} }
usage: { retentionDays: ${retentionDays} }
gateway: { timeoutMs: ${60_000 + round} }
tenants: { ${markOf(settings)}: { dynamicCalls: deny } }
startTimeoutMs: ${hangs ? 1_000 : 60_000}
authenticators:
  keys: { use: "@patchbay/auth-api-key" }${hasIssuer ? issuer : ''}
providers:${provider('main')}${hasSecond ? provider('second') : ''}${hangs ? `\n  hanging: { use: "${hangingProvider}" }` : ''}
`;
}
