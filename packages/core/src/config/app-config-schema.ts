import type { ConfigSchema, OptionSchema } from '../contracts/config-schema.ts';
import { modelCapabilities } from '../contracts/provider.ts';
import { limitsSchema } from '../limits/limits-schema.ts';
import { settingsOptions } from '../settings/settings-options.ts';
import { singleKinds } from './mounts.ts';

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
    timeoutMs: {
      type: 'integer',
      description: 'Milliseconds of wall time of one execution.',
      minimum: 1,
      maximum: 60_000,
      default: 10_000,
    },
    outputBytes: {
      type: 'integer',
      description: 'Bytes of JSON that an output may have.',
      minimum: 1,
      default: 1_048_576,
    },
    logBytes: {
      type: 'integer',
      description: 'Bytes of logs that are kept of an execution; a short line counts as 16.',
      minimum: 0,
      default: 65_536,
    },
    asyncTimeoutMs: {
      type: 'integer',
      description: 'Milliseconds of wall time of an execution that nobody waits for.',
      minimum: 1,
      maximum: 900_000,
      default: 60_000,
    },
    asyncConcurrency: {
      type: 'integer',
      description: 'Executions out of the queue that this process runs at the same time.',
      minimum: 1,
      maximum: 1_000,
      default: 2,
    },
    maxQueued: {
      type: 'integer',
      description: 'Executions of one tenant that may wait; one more is `concurrency_limited`.',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
    },
    maxAttempts: {
      type: 'integer',
      description: 'How often an execution out of the queue is started, where it is not the function that fails.',
      minimum: 1,
      maximum: 1_000,
      default: 10,
    },
    retryInterrupted: {
      type: 'boolean',
      description: 'Start an execution out of the queue once more when its server died or stopped.',
      default: false,
    },
    leaseMs: {
      type: 'integer',
      description: 'Milliseconds without a sign of life after which a process is taken for dead.',
      minimum: 1_000,
      maximum: 600_000,
      default: 15_000,
      reload: false,
    },
    keepDays: {
      type: 'integer',
      description: 'Days after which executions that have ended are deleted. Default: never.',
      minimum: 1,
      maximum: 36_500,
    },
  },
} as const satisfies OptionSchema;

const texts = { type: 'array', items: { type: 'string', minLength: 1 } } as const satisfies OptionSchema;

const grant = {
  type: 'object',
  properties: {
    functions: { ...texts, description: 'Ids or names; `*` stands for any characters.' },
    tenants: { ...texts, description: 'Tenants whose functions are meant. Default: `default` alone.' },
    hosts: {
      ...texts,
      description:
        'Where `fetch` may go: `api.acme.com`, `*.acme.com`, `api.acme.com:8443`, `http://127.0.0.1:9000`. Without a protocol, https.',
    },
    addresses: {
      ...texts,
      description:
        'Ranges such as `10.1.0.0/16` that these hosts may have addresses in. Without it, public addresses only.',
    },
    secrets: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          value: { type: 'string', writeOnly: true, description: 'The secret, at least 8 visible characters.' },
          hosts: { ...texts, description: 'Hosts that it may be sent to, out of those above.' },
        },
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
    maxCalls: {
      type: 'integer',
      description: 'Calls of its context (models, functions, network) that one execution may make.',
      minimum: 0,
      maximum: 10_000,
      default: 100,
    },
    fetch: {
      type: 'object',
      default: {},
      properties: {
        timeoutMs: {
          type: 'integer',
          description: 'Milliseconds for one `fetch` of a function, redirects included.',
          minimum: 1,
          maximum: 60_000,
          default: 10_000,
        },
        responseBytes: {
          type: 'integer',
          description: 'Bytes that the answer to one `fetch` of a function may have, unpacked.',
          minimum: 1,
          maximum: 16_777_216,
          default: 1_048_576,
        },
      },
    },
    grants: {
      type: 'array',
      description: 'Which functions may reach which hosts, with which secrets; what no entry gives, no function has.',
      items: grant,
    },
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
    capabilities: {
      type: 'array',
      items: { type: 'string', enum: modelCapabilities },
      description: 'What the model can do.',
    },
    maxTokens: { type: 'integer', description: 'Tokens that one answer may have.', minimum: 1 },
    contextWindow: { type: 'integer', description: 'Tokens that question and answer may have together.', minimum: 1 },
    dimensions: { type: 'integer', description: 'Numbers in an embedding.', minimum: 1 },
    pricing: {
      type: 'object',
      description: 'USD per 1,000,000 tokens.',
      properties: {
        input: { type: 'number', minimum: 0, description: 'USD per 1,000,000 tokens of the question.' },
        output: { type: 'number', minimum: 0, description: 'USD per 1,000,000 tokens of the answer.' },
        cacheRead: {
          type: 'number',
          minimum: 0,
          description: 'The same of input read from the cache of the vendor. Default: `input`.',
        },
        cacheWrite: {
          type: 'number',
          minimum: 0,
          description: 'The same of input written into that cache. Default: `input`.',
        },
      },
      required: ['input', 'output'],
    },
    quality: {
      type: 'number',
      description: 'How good the model is, from 0 to 1, for the router.',
      minimum: 0,
      maximum: 1,
    },
    lastResort: { type: 'boolean', description: 'Chosen automatically only where nothing else is left.' },
  },
} as const satisfies OptionSchema;

const gateway = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    timeoutMs: {
      type: 'integer',
      description: 'Milliseconds for one request to models, all that are tried for it together.',
      minimum: 1,
      maximum: 3_600_000,
      default: 600_000,
    },
    models: {
      type: 'object',
      description: 'What you know better than the tables of the providers, by model id.',
      additionalProperties: model,
    },
  },
} as const satisfies OptionSchema;

const nameFilter = {
  type: 'object',
  description: 'Names that are let in and kept out. `deny` goes before `allow`; without `allow`, everything is in.',
  properties: {
    allow: { ...texts, description: 'These and no others; `openai/*` is all models of a provider. Default: all.' },
    deny: { ...texts, description: 'Not these. Goes before `allow`.' },
  },
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
            requests: { type: 'integer', description: 'Requests that are refilled per `seconds`.', minimum: 1 },
            seconds: { type: 'integer', description: 'Seconds; see `requests`.', minimum: 1 },
            burst: { type: 'integer', description: 'Requests that can be made at once.', minimum: 1 },
          },
          required: ['requests', 'seconds', 'burst'],
        },
        budget: {
          type: 'object',
          properties: {
            usd: { type: 'number', description: 'US dollars that may be spent on models per period.', minimum: 0 },
            period: { type: 'string', description: 'A calendar day or month in UTC.', enum: ['day', 'month'] },
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
      properties: {
        retentionDays: {
          type: 'integer',
          description: 'Days for which single calls are kept; the sums of hours are kept for good.',
          minimum: 1,
          maximum: 3_650,
          default: 30,
        },
      },
    },
    webhooks: {
      type: 'object',
      reload: true,
      default: {},
      properties: {
        maxPerTenant: {
          type: 'integer',
          description: 'Webhooks that a tenant may have.',
          minimum: 1,
          maximum: 100,
          default: 20,
        },
        maxPerSecond: {
          type: 'integer',
          description: 'Deliveries that one server begins in a second, so that its API stays quick.',
          minimum: 1,
          maximum: 100_000,
          default: 300,
        },
        allow: { ...texts, default: [], description: 'Private ranges that events may be sent to, over http as well.' },
        ports: {
          type: 'array',
          description: 'Ports of public addresses that events may be sent to.',
          items: { type: 'integer', minimum: 1, maximum: 65_535 },
          default: [443, 8443],
        },
        timeoutMs: {
          type: 'integer',
          description: 'Milliseconds that a receiver may take to answer.',
          minimum: 100,
          maximum: 60_000,
          default: 15_000,
        },
        keepDays: {
          type: 'integer',
          description: 'Days for which events and their deliveries are kept.',
          minimum: 4,
          maximum: 3_650,
          default: 30,
        },
      },
    },
    tenants: {
      type: 'object',
      description: 'What tenants may use, by tenant; `*` is for all that are not named. Default: everything.',
      reload: true,
      additionalProperties: tenantPolicy,
    },
    secret: {
      type: 'string',
      description: 'The root secret. API keys, cursors and stored secrets depend on it.',
      minLength: 32,
      writeOnly: true,
    },
    secretFile: {
      type: 'string',
      description: 'File with the root secret. It is made, with mode 0600, where it does not exist.',
      minLength: 1,
    },
    previousSecrets: {
      type: 'array',
      description: 'Root secrets of before, newest first: what was made under them still works.',
      writeOnly: true,
      items: { type: 'string', minLength: 32, writeOnly: true },
    },
    autoMigrate: { type: 'boolean', description: 'Bring the storage to its newest schema at start.', default: true },
    startTimeoutMs: {
      type: 'integer',
      description: 'Milliseconds that one plugin may take to be imported, and to start.',
      minimum: 1,
      maximum: 3_600_000,
      default: 10_000,
      reload: true,
    },
  },
  required: ['patchbay'],
};
