import type Anthropic from '@anthropic-ai/sdk';
import type { ChatInput } from '../gateway-types.ts';
import type { Field } from '../request/field.ts';
import type { Warnings } from '../request/warnings.ts';
import type { MessagesBody } from './request-body.ts';

type Effort = NonNullable<ChatInput['reasoningEffort']>;
type OutputEffort = NonNullable<Anthropic.OutputConfig['effort']>;

/** The minimum thinking budget of each effort in tokens, from the largest. */
const budgets = [
  [16_384, 'high'],
  [4_096, 'medium'],
  [1_024, 'low'],
] as const satisfies readonly (readonly [number, Effort])[];

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly OutputEffort[];
const thinkingTypes = ['enabled', 'disabled', 'adaptive', 'between_tools'] as const;

/**
 * How much the model reasons. `thinking` of type `disabled` is `none`; of type `enabled` its budget decides, unless
 * `output_config.effort` is there; of type `adaptive` and without `thinking` that effort applies, or the model decides.
 */
export function parseReasoning(body: Field<MessagesBody>, warnings: Warnings): Effort | undefined {
  const effort = body
    .member('output_config')
    .maybe((output) => output.member('effort').maybe((field) => field.oneOf(efforts)));
  if (effort === 'max') {
    warnings.add('output_config.effort max is known to models of Anthropic only: xhigh was sent');
  }
  const known = effort === 'max' ? 'xhigh' : effort;
  const thinking = body.member('thinking');
  if (!thinking.isGiven) return known;
  const type = thinking.member('type').oneOf(thinkingTypes);
  if (type === 'between_tools') {
    warnings.add('thinking between tools only is known to models of Anthropic: others decide on their own');
  }
  if (type === 'enabled') {
    const tokens = thinking.member('budget_tokens').integer({ min: 1_024 });
    return known ?? budgets.find(([least]) => tokens >= least)?.[1];
  }
  return type === 'disabled' ? 'none' : known;
}
