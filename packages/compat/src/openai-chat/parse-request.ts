import { definedMembers } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatInput, ModelChoice } from '../gateway-types.ts';
import { Field } from '../request/field.ts';
import { readRouting } from '../request/read-routing.ts';
import { Warnings } from '../request/warnings.ts';
import { dialect, keep } from './kept-members.ts';
import { checkKept, keptOptions } from './kept-options.ts';
import { parseMessages } from './parse-messages.ts';
import { parseOptions } from './parse-options.ts';
import { parseTools } from './parse-tools.ts';
import { refusedOptions, refuseUnsupported } from './refused-options.ts';

export interface ParsedChatRequest {
  readonly choice: ModelChoice;
  /** For the gateway; has the choice as well. */
  readonly input: ChatInput;
  readonly stream: boolean;
  /** The stream ends with a chunk that has the usage. */
  readonly includeUsage: boolean;
  /** The client knows `function_call` only, see `SerializeOptions`. */
  readonly asFunctionCall: boolean;
  /** One sentence for each member that is left out or changed for some models. */
  readonly warnings: readonly string[];
}

/**
 * What becomes of every member of a request: `read` into the input, kept for models with this API, or refused. A member
 * that OpenAI adds does not compile until it is decided here.
 */
const members = {
  messages: 'read',
  model: 'read',
  frequency_penalty: 'read',
  function_call: 'read',
  functions: 'read',
  max_completion_tokens: 'read',
  max_tokens: 'read',
  parallel_tool_calls: 'read',
  presence_penalty: 'read',
  reasoning_effort: 'read',
  response_format: 'read',
  seed: 'read',
  stop: 'read',
  stream: 'read',
  stream_options: 'read',
  temperature: 'read',
  tool_choice: 'read',
  tools: 'read',
  top_p: 'read',
  // Accepted beside those of OpenAI.
  routing: 'read',
  ...keptOptions,
  ...refusedOptions,
} as const satisfies Record<keyof OpenAI.ChatCompletionCreateParamsNonStreaming | 'routing', unknown>;

/**
 * The body of `POST /v1/chat/completions` as a request to the gateway, for models of every vendor.
 *
 * @param value The JSON document.
 * @throws PatchbayError `invalid_request` with the place of the first member that is malformed, or that asks for what
 *   models of other vendors cannot do. `mapError` makes the 400 of it.
 */
export function parseChatRequest(value: unknown): ParsedChatRequest {
  const body = new Field(value);
  const warnings = new Warnings();
  const model = body.member('model').name();
  const routing = body.member('routing').maybe(readRouting);
  const choice = { model, ...definedMembers({ routing }) };
  refuseUnsupported(body);
  const messages = parseMessages(body.member('messages'), warnings);
  const { asFunctionCall, ...tools } = parseTools(body, warnings);
  const { options, format } = parseOptions(body, warnings);
  // Members that nothing here knows go the same way as those that only this API has.
  const others = body.members().filter(([name]) => !Object.hasOwn(members, name) || Object.hasOwn(keptOptions, name));
  checkKept(body);
  const kept = { ...keep(others, '', warnings).extra?.[dialect], ...(format && { response_format: format }) };
  const extra = Object.keys(kept).length > 0 ? { [dialect]: kept } : undefined;
  const stream = body.member('stream').maybe((field) => field.flag()) ?? false;
  return {
    choice,
    input: { ...choice, messages, ...tools, ...options, ...definedMembers({ extra }) },
    stream,
    includeUsage: readStreamOptions(body, stream),
    asFunctionCall,
    warnings: warnings.all,
  };
}

function readStreamOptions(body: Field, stream: boolean): boolean {
  const options = body.member('stream_options');
  if (!options.isGiven) return false;
  if (!stream) options.fail('invalid_value', 'needs stream to be true');
  // There is nothing to hide behind random characters: chunks are written here, not where the tokens are.
  options.member('include_obfuscation').maybe((field) => field.flag());
  return options.member('include_usage').maybe((field) => field.flag()) ?? false;
}
