import { type OptionSchema, type OptionValue, textList } from './config-schema.ts';
import { budgetPeriods } from './limits.ts';

/**
 * Which names may be called although no function has them: all (`allow`), those called with an output schema
 * (`declared`), none (`deny`). A model responds to them, so a typo can cost money and look like a result.
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

/** The policy of one tenant in a config. */
export const tenantPolicyOptions = {
  type: 'object',
  properties: {
    models: nameFilter,
    providers: nameFilter,
    dynamicCalls: {
      type: 'string',
      enum: dynamicCalls,
      description: 'Which functions may be called by name although they are not stored.',
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

/** Models, functions and limits that the operator grants a tenant. Absent members allow everything. */
export type TenantPolicy = OptionValue<typeof tenantPolicyOptions>;
