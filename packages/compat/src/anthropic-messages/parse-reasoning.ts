import type Anthropic from '@anthropic-ai/sdk';
import type { ChatInput } from '../gateway-types.ts';
import type { Fields } from './fields.ts';
import { unexpectedTag } from './fields.ts';
import type { Notes } from './notes.ts';

type ReasoningMembers = Pick<Anthropic.MessageCreateParamsNonStreaming, 'thinking'>;
type Effort = NonNullable<ChatInput['reasoningEffort']>;
type OutputEffort = NonNullable<Anthropic.OutputConfig['effort']>;

/** The least tokens of a thinking budget that is each effort, from the largest. */
const budgets = [
  [16_384, 'high'],
  [4_096, 'medium'],
  [1_024, 'low'],
] as const satisfies readonly (readonly [number, Effort])[];

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly OutputEffort[];

/**
 * How much the model reasons. `thinking` of type `disabled` is `none`; of type `enabled` its budget decides, unless
 * `output_config.effort` is there; of type `adaptive` and without `thinking` it is that effort, or left to the model.
 */
export function parseReasoning(
  body: Fields<ReasoningMembers>,
  output: Fields<Anthropic.OutputConfig> | undefined,
  notes: Notes,
): Effort | undefined {
  const effort = parseEffort(output, notes);
  const thinking = body.optionalObject<Anthropic.ThinkingConfigEnabled>('thinking');
  if (!thinking) return effort;
  const type = thinking.tag('type');
  if (type === 'disabled') return 'none';
  if (type === 'enabled') {
    thinking.required('budget_tokens');
    const tokens = thinking.number('budget_tokens', { min: 1_024, isInteger: true }) ?? 0;
    noteDisplay(thinking, notes);
    return effort ?? budgets.find(([least]) => tokens >= least)?.[1];
  }
  if (type === 'adaptive') {
    noteDisplay(thinking, notes);
    return effort;
  }
  if (type !== 'between_tools') {
    throw unexpectedTag(thinking.place, type, ['enabled', 'disabled', 'adaptive', 'between_tools']);
  }
  notes.add('thinking between tools only is known to models of Anthropic: others decide on their own');
  return effort;
}

function parseEffort(output: Fields<Anthropic.OutputConfig> | undefined, notes: Notes): Effort | undefined {
  if (output?.get('effort') === undefined) return undefined;
  const effort = output.oneOf('effort', efforts);
  if (effort !== 'max') return effort;
  notes.add('output_config.effort max is known to models of Anthropic only: xhigh was sent');
  return 'xhigh';
}

function noteDisplay(thinking: Fields<Anthropic.ThinkingConfigEnabled>, notes: Notes): void {
  if (thinking.get('display') === undefined) return;
  const display = thinking.oneOf('display', ['summarized', 'omitted']);
  notes.add(`thinking.display ${display} is known to models of Anthropic only`);
}
