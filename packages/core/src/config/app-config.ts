import {
  type ConfigOf,
  type ConfigSchema,
  type GivenConfigOf,
  type OptionSchema,
  option,
} from '@patchbay/contracts/config-schema';
import { contentLevels } from '@patchbay/contracts/content';
import { limitOptions } from '@patchbay/contracts/limits';
import { tenantPolicyOptions } from '@patchbay/contracts/tenant-policy';
import { egressOptions } from '@patchbay/outbound/egress/proxy-rules';
import { rulePattern } from '../call-content/redaction-rules.ts';
import { executionOptions, functionOptions } from '../functions/function-options.ts';
import { gatewayOptions } from '../gateway/gateway-options.ts';
import { webhookOptions } from '../webhooks/webhook-options.ts';
import { type Mounts, singleKinds } from './mounts.ts';

/** Of any type: the value of `use` is known only after the import. */
const anything = { description: 'Package name or path of the plugin.' } as OptionSchema;

const mount = {
  type: 'object',
  properties: {
    use: anything,
    with: { type: 'object', description: 'Options of the plugin.' },
    optional: option('boolean', 'If the plugin fails to start, the server runs degraded instead of exiting.'),
  },
  required: ['use'],
} as const satisfies OptionSchema;

const namedMounts = { type: 'object', reload: true, additionalProperties: mount } as const satisfies OptionSchema;

/** The single kinds without long-lived dependents. */
const replacedMounts: Readonly<Partial<Record<keyof Mounts, OptionSchema>>> = {
  router: { ...mount, reload: true },
  secrets: { ...mount, reload: true },
  // Artifacts of functions belong to the executor plugin that prepared them.
  executor: { ...mount, reload: true, properties: { ...mount.properties, use: { ...anything, reload: false } } },
};

const format = {
  properties: { patchbay: { type: 'integer', enum: [1], description: 'Version of this format.' } },
  required: ['patchbay'],
} as const satisfies ConfigSchema;

/** Every option outside of mounts. Larger sections are declared next to the code that uses them. */
const options = {
  properties: {
    executions: executionOptions,
    functions: functionOptions,
    gateway: gatewayOptions,
    limits: limitOptions,
    usage: {
      type: 'object',
      reload: true,
      default: {},
      properties: {
        retentionDays: option('integer', 'Days to keep the entries of the ledger; hourly totals are kept forever.', {
          minimum: 1,
          maximum: 3_650,
          default: 30,
        }),
      },
    },
    callRecords: {
      type: 'object',
      reload: true,
      default: {},
      properties: {
        keepDays: option('integer', 'Days to keep records of calls, and to accept feedback about them.', {
          minimum: 1,
          maximum: 3_650,
          default: 30,
        }),
        maxBytes: option('integer', 'Maximum bytes of the records of a tenant, about; the oldest are deleted.', {
          minimum: 1_048_576,
          default: 1_073_741_824,
        }),
        content: option(
          'string',
          'How much of the content of calls is stored: nothing, sizes and names only, or requests and responses. The ' +
            'settings of a function can lower it.',
          { enum: contentLevels, default: 'off' },
        ),
        contentDays: option('integer', 'Days to keep the content of calls.', {
          minimum: 1,
          maximum: 3_650,
          default: 7,
        }),
        contentBytes: option('integer', 'Maximum bytes of the content of one call; what is longer is shortened.', {
          minimum: 1_024,
          maximum: 524_288,
          default: 65_536,
        }),
        contentMaxBytes: option('integer', 'Maximum bytes of the content of a tenant; the oldest is deleted.', {
          minimum: 1_048_576,
          default: 268_435_456,
        }),
        redact: {
          type: 'array',
          description:
            'What is never stored of content: JSON Pointers into requests, responses and rejected outputs, such as ' +
            '`/input/email`. A `*` stands for any member or item.',
          items: {
            type: 'string',
            pattern: rulePattern,
            $comment: 'must be a JSON Pointer such as /input/email, not empty',
          },
        },
      },
    },
    webhooks: webhookOptions,
    egress: egressOptions,
    tenants: {
      type: 'object',
      description: 'Policies by tenant; `*` applies to all others. Default: no restrictions.',
      reload: true,
      additionalProperties: tenantPolicyOptions,
    },
    secret: option('string', 'The root secret. API keys, cursors and stored secrets depend on it.', {
      minLength: 32,
      writeOnly: true,
    }),
    secretFile: option('string', 'File with the root secret. Created with mode 0600 if it does not exist.', {
      minLength: 1,
    }),
    previousSecrets: {
      type: 'array',
      description:
        'Previous root secrets, newest first: keys, cursors and stored secrets created with them remain valid.',
      writeOnly: true,
      items: { type: 'string', minLength: 32, writeOnly: true },
    },
    autoMigrate: option('boolean', 'Migrate the storage to the latest schema at startup.', { default: true }),
    startTimeoutMs: option('integer', 'Milliseconds one plugin may take to be imported, and to start.', {
      minimum: 1,
      maximum: 3_600_000,
      default: 10_000,
      reload: true,
    }),
  },
} as const satisfies ConfigSchema;

/** In milliseconds, for steps before a config has been validated. */
export const defaultStartTimeoutMs = options.properties.startTimeoutMs.default;

/** The top level of a config: the single declaration of its options, defaults and documentation. */
export const appConfigSchema: ConfigSchema = {
  properties: {
    ...format.properties,
    ...Object.fromEntries(singleKinds.map((kind) => [kind, replacedMounts[kind] ?? mount])),
    providers: namedMounts,
    authenticators: namedMounts,
    tools: namedMounts,
    ...options.properties,
  },
  required: format.required,
};

/**
 * The plugins and options of a Patchbay: the config file, and the argument of `createApp`. Kinds that can be mounted once
 * are keys of the config; providers, authenticators and tool servers are named. An option with a default may be left
 * out.
 */
export interface AppConfig extends Mounts, GivenConfigOf<typeof format>, GivenConfigOf<typeof options> {}

/** An `AppConfig` with all defaults filled in. */
export interface CompleteConfig extends Mounts, ConfigOf<typeof format>, ConfigOf<typeof options> {}

/**
 * The type of a config in JavaScript or TypeScript: what `patchbay.config.ts` exports as its default.
 *
 * @example
 * ```ts
 * import { defineConfig } from '@patchbay/core';
 *
 * export default defineConfig({
 *   patchbay: 1,
 *   storage: { use: '@patchbay/store-sqlite', with: { file: './data/patchbay.db' } },
 * });
 * ```
 */
export function defineConfig(config: AppConfig): AppConfig {
  return config;
}
