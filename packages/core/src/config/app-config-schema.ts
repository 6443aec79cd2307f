import { singleKinds } from '../app/mounts.ts';
import type { ConfigSchema, OptionSchema } from '../contracts/config-schema.ts';
import { modelCapabilities } from '../contracts/provider.ts';
import { limitsSchema } from '../limits/limits-schema.ts';
import { settingsOptions } from '../settings/settings-options.ts';

/** What `use` may be is known only once it is imported. */
const anything = { description: 'Package name or path of the plugin.' } as OptionSchema;

const mount = {
  type: 'object',
  properties: {
    use: anything,
    with: { type: 'object', description: 'Options of the plugin.' },
    optional: { type: 'boolean', description: 'A failure to start makes the host degraded instead of stopping it.' },
  },
  required: ['use'],
} as const satisfies OptionSchema;

const namedMounts = { type: 'object', reload: true, additionalProperties: mount } as const satisfies OptionSchema;

/** The single kinds on which nothing depends that lasts. */
const replacedMounts: Readonly<Partial<Record<(typeof singleKinds)[number], OptionSchema>>> = {
  router: { ...mount, reload: true },
  secrets: { ...mount, reload: true },
  // What functions were made into belongs to the plugin that did it.
  executor: { ...mount, reload: true, properties: { ...mount.properties, use: { ...anything, reload: false } } },
};

const executions = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    timeoutMs: { type: 'integer', minimum: 1, maximum: 60_000, default: 10_000 },
    outputBytes: { type: 'integer', minimum: 1, default: 1_048_576 },
    logBytes: { type: 'integer', minimum: 0, default: 65_536 },
    asyncTimeoutMs: { type: 'integer', minimum: 1, maximum: 900_000, default: 60_000 },
    asyncConcurrency: { type: 'integer', minimum: 1, maximum: 1_000, default: 2 },
    maxQueued: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 10_000 },
    maxAttempts: { type: 'integer', minimum: 1, maximum: 1_000, default: 10 },
    retryInterrupted: { type: 'boolean', default: false },
    leaseMs: { type: 'integer', minimum: 1_000, maximum: 600_000, default: 15_000, reload: false },
    keepDays: { type: 'integer', minimum: 1, maximum: 36_500 },
  },
} as const satisfies OptionSchema;

const texts = { type: 'array', items: { type: 'string', minLength: 1 } } as const satisfies OptionSchema;

const grant = {
  type: 'object',
  properties: {
    functions: { ...texts, description: 'Ids or names; `*` stands for any characters.' },
    tenants: texts,
    hosts: texts,
    addresses: texts,
    secrets: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { value: { type: 'string', writeOnly: true }, hosts: texts },
        required: ['value', 'hosts'],
      },
    },
  },
  required: ['functions'],
} as const satisfies OptionSchema;

const functions = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    maxCalls: { type: 'integer', minimum: 0, maximum: 10_000, default: 100 },
    fetch: {
      type: 'object',
      default: {},
      properties: {
        timeoutMs: { type: 'integer', minimum: 1, maximum: 60_000, default: 10_000 },
        responseBytes: { type: 'integer', minimum: 1, maximum: 16_777_216, default: 1_048_576 },
      },
    },
    grants: { type: 'array', items: grant },
    settings: {
      type: 'object',
      description: 'Settings by name of the function, or by a pattern such as `summarize*`. The later one wins.',
      additionalProperties: settingsOptions,
    },
    dynamicCalls: {
      type: 'string',
      enum: ['allow', 'declared', 'deny'],
      description: 'Which functions that nobody stored may be called by name: all, those with a declared output, none.',
      default: 'declared',
    },
    settingsLabel: {
      type: 'string',
      description: 'The label of the stored settings that calls go by.',
      pattern: '^[a-z][a-z0-9-]{0,39}$',
      default: 'production',
    },
  },
} as const satisfies OptionSchema;

const model = {
  type: 'object',
  properties: {
    capabilities: { type: 'array', items: { type: 'string', enum: modelCapabilities } },
    maxTokens: { type: 'integer', minimum: 1 },
    contextWindow: { type: 'integer', minimum: 1 },
    dimensions: { type: 'integer', minimum: 1 },
    pricing: {
      type: 'object',
      description: 'USD per 1,000,000 tokens.',
      properties: { input: { type: 'number', minimum: 0 }, output: { type: 'number', minimum: 0 } },
      required: ['input', 'output'],
    },
    quality: { type: 'number', minimum: 0, maximum: 1 },
    lastResort: { type: 'boolean' },
  },
} as const satisfies OptionSchema;

const gateway = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    timeoutMs: { type: 'integer', minimum: 1, maximum: 3_600_000, default: 120_000 },
    models: { type: 'object', additionalProperties: model },
  },
} as const satisfies OptionSchema;

const nameFilter = {
  type: 'object',
  description: 'Names that are let in and kept out. `deny` goes before `allow`; without `allow`, everything is in.',
  properties: { allow: texts, deny: texts },
} as const satisfies OptionSchema;

const tenantPolicy = {
  type: 'object',
  properties: {
    models: nameFilter,
    providers: nameFilter,
    dynamicCalls: {
      type: 'string',
      enum: ['allow', 'declared', 'deny'],
      description: 'Which functions that nobody stored may be called by name.',
    },
    limits: {
      type: 'object',
      description: 'Limits of this tenant, in place of those for all.',
      properties: {
        rateLimit: {
          type: 'object',
          properties: {
            requests: { type: 'integer', minimum: 1 },
            seconds: { type: 'integer', minimum: 1 },
            burst: { type: 'integer', minimum: 1 },
          },
          required: ['requests', 'seconds', 'burst'],
        },
        budget: {
          type: 'object',
          properties: {
            usd: { type: 'number', minimum: 0 },
            period: { type: 'string', enum: ['day', 'month'] },
          },
          required: ['usd', 'period'],
        },
      },
    },
  },
} as const satisfies OptionSchema;

/** The top level of a config: the shape of `AppConfig`. */
export const appConfigSchema: ConfigSchema = {
  properties: {
    patchbay: { type: 'integer', enum: [1], description: 'Version of this format.' },
    ...Object.fromEntries(singleKinds.map((kind) => [kind, replacedMounts[kind] ?? mount])),
    providers: namedMounts,
    authenticators: namedMounts,
    executions,
    functions,
    gateway,
    limits: limitsSchema,
    usage: {
      type: 'object',
      reload: true,
      default: {},
      properties: { retentionDays: { type: 'integer', minimum: 1, maximum: 3_650, default: 30 } },
    },
    webhooks: {
      type: 'object',
      reload: true,
      default: {},
      properties: {
        maxPerTenant: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        maxPerSecond: { type: 'integer', minimum: 1, maximum: 100_000, default: 300 },
        allow: { ...texts, default: [], description: 'Private ranges that events may be sent to, over http as well.' },
        ports: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65_535 }, default: [443, 8443] },
        timeoutMs: { type: 'integer', minimum: 100, maximum: 60_000, default: 15_000 },
        keepDays: { type: 'integer', minimum: 4, maximum: 3_650, default: 30 },
      },
    },
    tenants: { type: 'object', reload: true, additionalProperties: tenantPolicy },
    secret: { type: 'string', minLength: 32, writeOnly: true },
    secretFile: { type: 'string', minLength: 1 },
    previousSecrets: { type: 'array', writeOnly: true, items: { type: 'string', minLength: 32, writeOnly: true } },
    autoMigrate: { type: 'boolean', default: true },
    startTimeoutMs: { type: 'integer', minimum: 1, maximum: 3_600_000, default: 10_000, reload: true },
  },
  required: ['patchbay'],
};
