import { usageGroupings } from '@patchbay/core';
import { responseObject } from './schema-object.ts';

const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

const totals = {
  executions: count('Executions of functions.'),
  modelCalls: count('Calls of models; a request can take several.'),
  cachedCalls: count('Calls of models that were not made, because an answer that was kept did.'),
  failures: count('Of both, those that did not complete.'),
  uncachedInputTokens: count('Tokens of questions that were not in a cache of the provider.'),
  cacheReadTokens: count('Tokens of questions that were read from it.'),
  cacheWriteTokens: count('Tokens of questions that were written to it.'),
  outputTokens: count('Tokens of answers, with those spent on thinking.'),
  reasoningTokens: count('Of these, those spent on thinking.'),
  durationMs: count('Milliseconds, of all calls together.'),
  cost: {
    type: ['object', 'null'],
    description: 'Of the calls whose price is known; null where it is known of none.',
    properties: {
      amount: { type: 'string', pattern: '^\\d+\\.\\d{9}$', description: 'A decimal, exact.' },
      currency: { type: 'string', enum: ['USD'] },
    },
    required: ['amount', 'currency'],
  },
  unpricedCalls: count('Calls of models whose price is not known.'),
} as const;

export const usageSchemas = {
  UsageTotals: responseObject(totals),
  Usage: responseObject({
    data: {
      type: 'array',
      description: 'One entry for each group, in the order of their names; empty without `groupBy`.',
      items: responseObject({
        group: { type: 'string', description: 'Empty: what belongs to none, such as executions by model.' },
        ...totals,
      }),
    },
    total: { $ref: '#/components/schemas/UsageTotals' },
    meta: responseObject(
      {
        from: { type: 'string', format: 'date-time' },
        to: { type: 'string', format: 'date-time' },
        groupBy: { type: 'string', enum: usageGroupings },
      },
      { optional: ['groupBy'] },
    ),
  }),
} as const;
