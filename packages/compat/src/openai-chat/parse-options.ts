import type { JsonObject, Schema } from '@patchbay/core/plugin';
import { definedMembers } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatInput } from '../gateway-types.ts';
import type { Field } from '../request/field.ts';
import type { Warnings } from '../request/warnings.ts';
import { functionName } from './parse-tools.ts';

const MAX_STOPS = 16;
const MAX_STOP = 1_000;

type Options = Omit<
  ChatInput,
  'messages' | 'model' | 'routing' | 'tools' | 'toolChoice' | 'parallelToolCalls' | 'extra'
>;

interface ParsedOptions {
  readonly options: Options;
  /** The format of the response as it was sent, for models with this API: its name and description are not elsewhere. */
  readonly format?: JsonObject;
}

/** Sampling, limits, and the format of the response. */
export function parseOptions(body: Field, warnings: Warnings): ParsedOptions {
  const number = (name: keyof OpenAI.ChatCompletionCreateParams, min: number, max: number) =>
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
  return { options, ...(format && { format }) };
}

function readMaxTokens(body: Field): number | undefined {
  const [current, old] = (['max_completion_tokens', 'max_tokens'] as const).map((name) =>
    body.member(name).maybe((field) => field.integer({ min: 1 })),
  );
  if (current === undefined || old === undefined || current === old) return current ?? old;
  return body.member('max_tokens').fail('invalid_value', 'must not differ from max_completion_tokens');
}

function readStop(stop: Field): readonly string[] | undefined {
  const items = typeof stop.value === 'string' ? [stop] : stop.list();
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

function readEffort(field: Field, warnings: Warnings): NonNullable<Options['reasoningEffort']> {
  const effort = field.oneOf(Object.keys(efforts) as Effort[]);
  if (effort === 'max') warnings.add('reasoning_effort "max" is sent as "xhigh"');
  return efforts[effort];
}

type FormatType = NonNullable<OpenAI.ChatCompletionCreateParams['response_format']>['type'];

function readFormat(
  field: Field,
  warnings: Warnings,
): Pick<Options, 'responseSchema' | 'responseJson'> & { format?: JsonObject } {
  if (!field.isGiven) return {};
  const readers = {
    text: () => ({}),
    json_object: () => ({ responseJson: true }),
    json_schema: () => {
      const format = field.member('json_schema');
      functionName(format.member('name'));
      format.member('strict').maybe((strict) => strict.flag());
      const description = format.member('description').maybe((text) => text.text());
      if (description)
        warnings.add('response_format.json_schema.description reaches models with the API of OpenAI only');
      return { responseSchema: format.member('schema').object() as Schema, format: field.object() };
    },
  } satisfies Record<FormatType, () => unknown>;
  return readers[field.member('type').oneOf(Object.keys(readers) as FormatType[])]();
}
