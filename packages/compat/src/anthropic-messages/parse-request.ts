import type { Schema } from '@patchbay/core/plugin';
import { definedMembers, type Message } from '@patchbay/core/provider';
import type { ChatInput, ModelChoice } from '../gateway-types.ts';
import { Field } from '../request/field.ts';
import { readRouting } from '../request/read-routing.ts';
import { type RequestWarnings, Warnings } from '../request/warnings.ts';
import { parseMessages } from './parse-messages.ts';
import { parseReasoning } from './parse-reasoning.ts';
import { parseToolUse } from './parse-tools.ts';
import { type MessagesBody, requestMembers } from './request-body.ts';

/** A request of `POST /v1/messages` in the terms of the gateway. */
export interface MessagesRequest extends RequestWarnings {
  readonly choice: ModelChoice;
  /** With the members of `choice`. */
  readonly input: ChatInput & { readonly messages: readonly Message[] };
  readonly stream: boolean;
}

/**
 * Read the body of `POST /v1/messages`, for a model of any vendor.
 *
 * @throws PatchbayError `invalid_request`, and nothing else, with the path of the member.
 *
 * @example
 * ```ts
 * import { parseMessagesRequest } from '@patchbay/compat/anthropic-messages';
 *
 * const body = { model: 'openai/gpt-5', max_tokens: 9, system: 'Be brief.', messages: [{ role: 'user', content: 'Hi' }] };
 * console.log(parseMessagesRequest(body).input.messages.length); // 2
 * ```
 */
export function parseMessagesRequest(value: unknown): MessagesRequest {
  const body = new Field<MessagesBody>(value);
  body.member('max_tokens').integer({ min: 1 });
  return parseBody(body);
}

/** Read the body of `POST /v1/messages/count_tokens`: the same members, and no limit of tokens. */
export function parseCountTokensRequest(value: unknown): MessagesRequest {
  return parseBody(new Field<MessagesBody>(value));
}

function parseBody(body: Field<MessagesBody>): MessagesRequest {
  const warnings = new Warnings('anthropic-messages');
  const routing = body.member('routing').maybe(readRouting);
  const choice: ModelChoice = { model: body.member('model').name(), ...definedMembers({ routing }) };
  refuseUnsupported(body);
  const messages = parseMessages(body, warnings);
  const tools = parseToolUse(body, warnings);
  const share = (name: 'temperature' | 'top_p') => body.member(name).maybe((field) => field.number({ min: 0, max: 1 }));
  const sampling = definedMembers({
    maxTokens: body.member('max_tokens').maybe((field) => field.integer({ min: 1 })),
    temperature: share('temperature'),
    topP: share('top_p'),
    stop: readStop(body),
    reasoningEffort: parseReasoning(body, warnings),
    responseSchema: readResponseSchema(body),
  });
  const stream = body.member('stream').maybe((field) => field.flag()) ?? false;
  const input = { ...choice, messages, ...sampling, ...tools, ...keptMembers(body, warnings) };
  return { choice, input, stream, ...warnings.of(body) };
}

/** @throws PatchbayError for the first member that requires what only Anthropic can do. */
function refuseUnsupported(body: Field<MessagesBody>): void {
  const rejected = Object.entries(requestMembers.rejected) as [keyof typeof requestMembers.rejected, string][];
  for (const [name, detail] of rejected) {
    const field = body.member(name);
    const isEmpty = Array.isArray(field.value) && field.value.length === 0;
    if (field.isGiven && !isEmpty) field.fail('unsupported_parameter', detail);
  }
}

function readStop(body: Field<MessagesBody>): readonly string[] | undefined {
  const stop = body.member('stop_sequences').maybe((field) => field.list()) ?? [];
  const texts = stop.map((item) => {
    const text = item.text();
    return text.trim() === '' ? item.fail('invalid_value', 'must have more than space') : text;
  });
  return texts.length === 0 ? undefined : texts;
}

function readResponseSchema(body: Field<MessagesBody>): Schema | undefined {
  const current = body.member('output_config').maybe((output) => output.member('format'));
  const format = current?.isGiven ? current : body.member('output_format');
  return format.maybe((given) => {
    given.member('type').oneOf(['json_schema']);
    return given.member('schema').object() as Schema;
  });
}

/** Call it last: it takes what was not read. */
function keptMembers(body: Field<MessagesBody>, warnings: Warnings) {
  body.member('top_k').maybe((field) => field.integer({ min: 0 }));
  body.member('metadata').maybe((field) => field.object());
  const output_config = body.member('output_config').maybe((output) => output.rest());
  const top = body.rest('top_k', 'metadata');
  return warnings.keep(output_config || top ? { ...top, ...definedMembers({ output_config }) } : undefined);
}
