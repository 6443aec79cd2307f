import type { JsonObject, Schema } from '@patchbay/core/plugin';
import { definedMembers } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatInput } from '../gateway-types.ts';
import type { Field, Value } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import { paramOf, stepsOf } from '../request/request-error.ts';
import type { Warnings } from '../request/warnings.ts';
import type { ChatBody } from './request-members.ts';

const MAX_STOPS = 16;
const MAX_STOP = 1_000;

type Options = Omit<
  ChatInput,
  'messages' | 'model' | 'routing' | 'tools' | 'toolChoice' | 'parallelToolCalls' | 'extra'
>;

interface ParsedOptions {
  readonly options: Options;
  /** The format of the response as it was sent, for models with this API: its name and description exist only here. */
  readonly format?: JsonObject | undefined;
}

/** Sampling, limits, and the format of the response. */
export function parseOptions(body: Field<ChatBody>, warnings: Warnings): ParsedOptions {
  type Penalty = 'temperature' | 'top_p' | 'frequency_penalty' | 'presence_penalty';
  const number = (name: Penalty, min: number, max: number) =>
    body.member(name).maybe((field) => field.number({ min, max }));
  const { format, ...response } = readFormat(body.member('response_format'), warnings);
  const options = definedMembers({
    maxTokens: readMaxTokens(body),
    temperature: number('temperature', 0, 2),
    topP: number('top_p', 0, 1),
    frequencyPenalty: number('frequency_penalty', -2, 2),
    presencePenalty: number('presence_penalty', -2, 2),
    stop: body.member('stop').maybe(readStop),
    seed: body.member('seed').maybe((field) => field.integer()),
    reasoningEffort: body.member('reasoning_effort').maybe((field) => readEffort(field, warnings)),
    ...response,
  });
  return { options, format };
}

function readMaxTokens(body: Field<ChatBody>): number | undefined {
  const [current, old] = (['max_completion_tokens', 'max_tokens'] as const).map((name) =>
    body.member(name).maybe((field) => field.integer({ min: 1 })),
  );
  if (current === undefined || old === undefined || current === old) return current ?? old;
  return body.member('max_tokens').fail('invalid_value', 'must not differ from max_completion_tokens');
}

function readStop(stop: Field<NonNullable<OpenAI.ChatCompletionCreateParams['stop']>>): readonly string[] | undefined {
  const given = stop.textOrList();
  const items: readonly Value[] = typeof given === 'string' ? [stop] : given;
  if (items.length > MAX_STOPS) return stop.fail('invalid_value', `must have at most ${MAX_STOPS} items`);
  const texts = items.map((item) => {
    const text = item.name();
    return text.length > MAX_STOP ? item.fail('invalid_value', `must have at most ${MAX_STOP} characters`) : text;
  });
  return texts.length > 0 ? texts : undefined;
}

type Effort = NonNullable<OpenAI.ReasoningEffort>;

const efforts = {
  none: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'xhigh',
} as const satisfies Record<Effort, Options['reasoningEffort']>;

export function readEffort(field: Value, warnings: Warnings): NonNullable<Options['reasoningEffort']> {
  const effort = field.oneOf(Object.keys(efforts) as Effort[]);
  if (effort === 'max') warnings.add(`${paramOf(stepsOf(field.pointer))} "max" is sent as "xhigh"`);
  return efforts[effort];
}

type Format = NonNullable<OpenAI.ChatCompletionCreateParams['response_format']>;

function readFormat(field: Field<Format>, warnings: Warnings) {
  if (!field.isGiven) return {};
  const readers = {
    text: () => ({}),
    json_object: () => ({ responseJson: true }),
    json_schema: () => {
      const format = field.member('json_schema');
      functionName(format.member('name'));
      format.member('strict').maybe((strict) => strict.flag());
      const description = format.member('description').maybe((text) => text.text());
      if (description) warnings.announce('response_format.json_schema.description');
      return { responseSchema: format.member('schema').object() as Schema, format: field.json() };
    },
  } satisfies Record<Format['type'], () => Pick<Options, 'responseSchema' | 'responseJson'>>;
  type Read = Pick<Options, 'responseSchema' | 'responseJson'> & { readonly format?: JsonObject };
  const type = field.member('type').oneOf(Object.keys(readers) as (keyof typeof readers)[]);
  return (readers[type] as () => Read)();
}
