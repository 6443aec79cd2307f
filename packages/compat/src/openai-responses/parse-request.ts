import type { Schema } from '@patchbay/core/plugin';
import { definedMembers } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatInput, ModelChoice } from '../gateway-types.ts';
import { readEffort } from '../openai-chat/parse-options.ts';
import { Field } from '../request/field.ts';
import { functionName } from '../request/function-name.ts';
import { readRouting } from '../request/read-routing.ts';
import { type RequestWarnings, Warnings } from '../request/warnings.ts';
import { type CallNames, callNames } from './namespaces.ts';
import { type KnownItems, parseItems } from './parse-items.ts';
import { parseTools } from './parse-tools.ts';
import { requestEcho } from './request-echo.ts';
import { type ResponsesBody, readDropped, refuseUnsupported } from './request-members.ts';
import type { RequestEcho } from './response-object.ts';

const dialect = 'openai-responses';

export interface ParsedResponsesRequest extends RequestWarnings {
  readonly choice: ModelChoice;
  /** For the gateway; has the choice as well. */
  readonly input: ChatInput;
  readonly stream: boolean;
  /** The client requested `reasoning.encrypted_content`. */
  readonly withProofs: boolean;
  /** The functions whose name in calls differs from that for the model. */
  readonly names: CallNames;
  /** Members of the request that the response repeats. */
  readonly echo: RequestEcho;
}

/**
 * The body of `POST /v1/responses` as a request to the gateway, for models of every vendor.
 *
 * @param value The JSON document.
 * @param known The items that the request names by their ids, as far as they are known.
 * @throws PatchbayError `invalid_request` with the path of the first member that is malformed, or that requires what
 *   models of other vendors cannot do.
 */
export function parseResponsesRequest(value: unknown, known: KnownItems = new Map()): ParsedResponsesRequest {
  const body = new Field<ResponsesBody>(value);
  const warnings = new Warnings(dialect);
  const model = body.member('model').name();
  const routing = body.member('routing').maybe(readRouting);
  const choice = { model, ...definedMembers({ routing }) };
  refuseUnsupported(body);
  const instructions = body.member('instructions').maybe((field) => field.text());
  const messages = parseItems(body.member('input'), known, warnings);
  const { kept, ...options } = readOptions(body, warnings);
  const tools = parseTools(body, warnings);
  const include = body.member('include').maybe((field) => field.list().map((item) => item.text())) ?? [];
  const withProofs = include.includes('reasoning.encrypted_content');
  if (include.some((name) => name !== 'reasoning.encrypted_content')) {
    warnings.add('include[] has no effect but for "reasoning.encrypted_content"');
  }
  body.member('store').maybe((field) => field.flag());
  const stream = body.member('stream').maybe((field) => field.flag()) ?? false;
  body.member('stream_options').maybe((field) => field.object());
  const { extra = {} } = warnings.keep(readDropped(body));
  const members = { ...extra[dialect], ...kept };
  return {
    choice,
    input: {
      ...choice,
      messages: instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages],
      ...tools,
      ...options,
      ...(Object.keys(members).length > 0 && { extra: { [dialect]: members } }),
    },
    stream,
    withProofs,
    names: callNames(body.object()['tools']),
    echo: requestEcho(value as OpenAI.Responses.ResponseCreateParams),
    ...warnings.of(body),
  };
}

/** Sampling, limits, reasoning, and the format of the response. */
function readOptions(body: Field<ResponsesBody>, warnings: Warnings) {
  const reasoning = body.member('reasoning');
  const text = body.member('text');
  const effort = reasoning.maybe((field) => field.member('effort').maybe((each) => readEffort(each, warnings)));
  const format = text.maybe((field) => field.member('format').maybe((each) => readFormat(each.as())));
  const kept = definedMembers({
    reasoning: reasoning.maybe((field) => warnings.keep(field.rest(), 'reasoning').extra?.[dialect]),
    text: text.maybe((field) => warnings.keep(field.rest(), 'text').extra?.[dialect]),
  });
  return {
    ...definedMembers({
      maxTokens: body.member('max_output_tokens').maybe((field) => field.integer({ min: 16 })),
      temperature: body.member('temperature').maybe((field) => field.number({ min: 0, max: 2 })),
      topP: body.member('top_p').maybe((field) => field.number({ min: 0, max: 1 })),
      reasoningEffort: effort,
      ...format,
    }),
    kept,
  };
}

type FormatMembers = OpenAI.Responses.ResponseFormatTextJSONSchemaConfig;

function readFormat(format: Field<FormatMembers>): Pick<ChatInput, 'responseSchema' | 'responseJson'> {
  const type = format.member('type').as().oneOf(['text', 'json_object', 'json_schema']);
  if (type === 'text') return {};
  if (type === 'json_object') return { responseJson: true };
  functionName(format.member('name'));
  format.member('strict').maybe((strict) => strict.flag());
  format.member('description').maybe((description) => description.text());
  return { responseSchema: format.member('schema').object() as Schema };
}
