import { type OptionSchema, type OptionValue, textList } from './config-schema.ts';
import { budgetPeriods } from './limits.ts';

/**
 * Which names without a function may be called: all (`allow`), those called with an output schema
 * (`declared`), none (`deny`). A model serves them, so a typo can cost money and look like a result.
 */
export const dynamicCalls = ['allow', 'declared', 'deny'] as const;

export type DynamicCalls = (typeof dynamicCalls)[number];

const nameFilter = {
  type: 'object',
  description: 'Allowed and denied names. `deny` takes precedence; without `allow`, all names are allowed.',
  properties: {
    allow: { ...textList, description: 'Allowed names; `openai/*` matches all models of a provider. Default: all.' },
    deny: { ...textList, description: 'Denied names. Takes precedence over `allow`.' },
  },
} as const satisfies OptionSchema;

/** Allowed and denied names. */
export type NameFilter = OptionValue<typeof nameFilter>;

/** The policy of one tenant in a config. */
export const tenantPolicyOptions = {
  type: 'object',
  properties: {
    models: nameFilter,
    providers: nameFilter,
    tools: {
      ...nameFilter,
      description: 'Tools of mounted servers that chats may use: `docs.search`, or `docs.*` for all of a server.',
    },
    dynamicCalls: {
      type: 'string',
      enum: dynamicCalls,
      description: 'Which functions that are not stored may be called by name.',
    },
    limits: {
      type: 'object',
      description: 'Limits of this tenant. They replace the general ones.',
      properties: {
        rateLimit: {
          type: 'object',
          properties: {
            requests: { type: 'integer', description: 'Requests refilled per `seconds`.', minimum: 1 },
            seconds: { type: 'integer', description: 'Seconds; see `requests`.', minimum: 1 },
            burst: { type: 'integer', description: 'Maximum burst of requests.', minimum: 1 },
          },
          required: ['requests', 'seconds', 'burst'],
        },
        budget: {
          type: 'object',
          properties: {
            usd: { type: 'number', description: 'Budget for models in US dollars per period.', minimum: 0 },
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
