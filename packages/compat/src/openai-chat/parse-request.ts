import { definedMembers } from '@patchbay/core/provider';
import type { ChatInput, ModelChoice } from '../gateway-types.ts';
import { Field } from '../request/field.ts';
import { readRouting } from '../request/read-routing.ts';
import { type RequestWarnings, Warnings } from '../request/warnings.ts';
import { parseMessages } from './parse-messages.ts';
import { parseOptions } from './parse-options.ts';
import { parseTools } from './parse-tools.ts';
import { type ChatBody, readDropped, refuseUnsupported } from './request-members.ts';

export interface ParsedChatRequest extends RequestWarnings {
  readonly choice: ModelChoice;
  /** For the gateway; has the choice as well. */
  readonly input: ChatInput;
  readonly stream: boolean;
  /** The stream ends with a chunk that has the usage. */
  readonly includeUsage: boolean;
  /** The client knows `function_call` only, see `SerializeOptions`. */
  readonly asFunctionCall: boolean;
}

/**
 * The body of `POST /v1/chat/completions` as a request to the gateway, for models of every vendor.
 *
 * @param value The JSON document.
 * @throws PatchbayError `invalid_request` with the path of the first member that is malformed, or that requires what
 *   models of other vendors cannot do. `mapError` turns it into the 400.
 *
 * @example
 * ```ts
 * import { parseChatRequest } from '@patchbay/compat/openai-chat';
 *
 * const { input } = parseChatRequest({ model: 'openai/gpt-5', messages: [{ role: 'developer', content: 'Be brief.' }] });
 * console.log(input.messages); // [ { role: 'system', content: 'Be brief.' } ]
 * ```
 */
export function parseChatRequest(value: unknown): ParsedChatRequest {
  const body = new Field<ChatBody>(value);
  const warnings = new Warnings('openai-chat');
  const model = body.member('model').name();
  const routing = body.member('routing').maybe(readRouting);
  const choice = { model, ...definedMembers({ routing }) };
  refuseUnsupported(body);
  const messages = parseMessages(body.member('messages'), warnings);
  const { asFunctionCall, ...tools } = parseTools(body, warnings);
  const { options, format } = parseOptions(body, warnings);
  const stream = body.member('stream').maybe((field) => field.flag()) ?? false;
  const includeUsage = readStreamOptions(body, stream);
  const { extra = {} } = warnings.keep(readDropped(body));
  const kept = { ...extra['openai-chat'], ...definedMembers({ response_format: format }) };
  return {
    choice,
    input: {
      ...choice,
      messages,
      ...tools,
      ...options,
      ...(Object.keys(kept).length > 0 && { extra: { 'openai-chat': kept } }),
    },
    stream,
    includeUsage,
    asFunctionCall,
    ...warnings.of(body),
  };
}

function readStreamOptions(body: Field<ChatBody>, stream: boolean): boolean {
  const options = body.member('stream_options');
  if (!options.isGiven) return false;
  if (!stream) options.fail('invalid_value', 'needs stream to be true');
  // Random characters would obfuscate nothing: chunks are written here, not where the tokens are generated.
  options.member('include_obfuscation').maybe((field) => field.flag());
  return options.member('include_usage').maybe((field) => field.flag()) ?? false;
}
