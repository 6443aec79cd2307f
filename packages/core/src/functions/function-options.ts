import type { OptionSchema, OptionValue } from '../contracts/config-schema.ts';
import { dynamicCalls } from '../contracts/tenant-policy.ts';
import { settingsOptions } from '../settings/settings-options.ts';
import { DEFAULT_LABEL } from '../settings/settings-writes.ts';
import { grantOptions } from './host-calls/function-grant.ts';

/** The section `functions` of a config. */
export const functionOptions = {
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
      items: grantOptions,
    },
    settings: {
      type: 'object',
      description: 'Settings by name of the function, or by a pattern such as `summarize*`. The later one wins.',
      additionalProperties: settingsOptions,
    },
    dynamicCalls: {
      type: 'string',
      enum: dynamicCalls,
      description: 'Which functions that nobody stored may be called by name: all, those with a declared output, none.',
      default: 'declared',
    },
    settingsLabel: {
      type: 'string',
      description: 'The label of the stored settings that calls go by.',
      pattern: '^[a-z][a-z0-9-]{0,39}$',
      default: DEFAULT_LABEL,
    },
  },
} as const satisfies OptionSchema;

export type FunctionOptions = OptionValue<typeof functionOptions>;
