import { type OptionSchema, type OptionValue, textList } from './config-schema.ts';
import { budgetPeriods } from './limits.ts';

/**
 * Which names may be called that no function has: all (`allow`), those that are called with the shape of their output
 * (`declared`), none (`deny`). A model answers them, so a slip of the pen can cost money and look like an answer.
 */
export const dynamicCalls = ['allow', 'declared', 'deny'] as const;

export type DynamicCalls = (typeof dynamicCalls)[number];

const nameFilter = {
  type: 'object',
  description: 'Names that are let in and kept out. `deny` goes before `allow`; without `allow`, everything is in.',
  properties: {
    allow: { ...textList, description: 'These and no others; `openai/*` is all models of a provider. Default: all.' },
    deny: { ...textList, description: 'Not these. Goes before `allow`.' },
  },
} as const satisfies OptionSchema;

/** Names that are let in and kept out. */
export type NameFilter = OptionValue<typeof nameFilter>;

/** What a config says of one tenant. */
export const tenantPolicyOptions = {
  type: 'object',
  properties: {
    models: nameFilter,
    providers: nameFilter,
    dynamicCalls: {
      type: 'string',
      enum: dynamicCalls,
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
            period: { type: 'string', description: 'A calendar day or month in UTC.', enum: budgetPeriods },
          },
          required: ['usd', 'period'],
        },
      },
    },
  },
} as const satisfies OptionSchema;

/** What one tenant may use, as the operator configured it. Absent members allow everything. */
export type TenantPolicy = OptionValue<typeof tenantPolicyOptions>;
