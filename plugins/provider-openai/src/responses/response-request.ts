import type { JsonObject } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  definedMembers,
  fieldsOf,
  listOf,
  type ModelInfo,
  providerError,
  type Tool,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { extraOf, foreignTo } from '../extra.ts';
import { namedIn, responseFormat } from '../response-format.ts';
import { inputItems } from './input-items.ts';

/** The minimum that the API accepts. */
const LEAST_TOKENS = 16;

const ENCRYPTED = 'reasoning.encrypted_content';

/**
 * The body of a request, and warnings about what was expressed differently.
 *
 * @param provider Name of the provider, for messages.
 */
export function responseRequest(provider: string, model: ModelInfo, request: ChatRequest) {
  refuseUnsupported(`${provider}/${model.name}`, model, request);
  const warnings = new Set(foreignTo('openai-responses', request));
  const warn = (sentence: string) => void warnings.add(sentence);
  if (request.seed !== undefined) warn(`${provider} has no seed in the Responses API: it was not sent`);
  const { stream: _, stream_options: __, ...extra } = extraOf(request, 'openai-responses');
  const tools = request.tools?.length ? request.tools.map(toolOf) : undefined;
  const style = { provider, isOpenAi: model.vendor === 'openai', warn };
  const include = includeOf(model, extra);
  const text = textConfig(request, extra, warn);
  const effort = hasReasoning(model) || request.reasoningEffort !== 'none' ? request.reasoningEffort : undefined;
  const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    ...extra,
    model: model.name,
    input: inputItems(request.messages, style),
    // Otherwise OpenAI keeps every response for a month.
    store: false,
    ...definedMembers({
      max_output_tokens: request.maxTokens,
      temperature: request.temperature,
      top_p: request.topP,
      tools,
      tool_choice: tools && toolChoice(request.toolChoice),
      parallel_tool_calls: tools && request.parallelToolCalls,
      text,
      reasoning: effort && { ...fieldsOf(extra['reasoning']), effort },
    }),
    ...(include && { include }),
  };
  return { body, warnings: [...warnings] };
}

const hasReasoning = ({ vendor, capabilities }: ModelInfo): boolean =>
  vendor !== 'openai' || capabilities.includes('reasoning');

function refuseUnsupported(name: string, model: ModelInfo, request: ChatRequest): void {
  const refuse = (what: string, parameter: string) =>
    providerError('unsupported', `${name} does not support ${what}`, { parameter });
  const { maxTokens, reasoningEffort } = request;
  if (maxTokens !== undefined && maxTokens < LEAST_TOKENS) throw refuse(`maxTokens below ${LEAST_TOKENS}`, 'maxTokens');
  for (const parameter of ['frequencyPenalty', 'presencePenalty'] as const) {
    if (request[parameter]) throw refuse(parameter, parameter);
  }
  if (request.stop?.length) throw refuse('stop sequences', 'stop');
  if (reasoningEffort && reasoningEffort !== 'none' && !hasReasoning(model))
    throw refuse('a reasoning effort', 'reasoningEffort');
  const extra = request.extra?.['openai-responses'] ?? {};
  for (const parameter of ['background', 'conversation', 'previous_response_id']) {
    if (extra[parameter]) throw refuse(`${parameter}, since no answer is stored`, parameter);
  }
  // A prompt that is stored there may name another model, and tools of the vendor read what is stored there.
  for (const parameter of ['prompt', 'tools'])
    if (extra[parameter]) throw refuse(`${parameter} of the vendor`, parameter);
}

/**
 * Nothing is stored: reasoning comes with the response, in a form that only the vendor can read, and is sent back with
 * it.
 */
function includeOf({ capabilities }: ModelInfo, extra: JsonObject): OpenAI.Responses.ResponseIncludable[] | undefined {
  // A model without reasoning refuses it.
  const own = capabilities.includes('reasoning') ? [ENCRYPTED] : [];
  const all = new Set([...(listOf(extra['include']) ?? []), ...own]);
  return all.size > 0 ? ([...all] as OpenAI.Responses.ResponseIncludable[]) : undefined;
}

function textConfig(
  { responseSchema, responseJson }: ChatRequest,
  extra: JsonObject,
  warn: (sentence: string) => void,
): OpenAI.Responses.ResponseTextConfig | undefined {
  const text = fieldsOf(extra['text']);
  const named = fieldsOf(text?.['format']);
  // The schema as the caller wrote it is among the members that are sent as they are.
  if (named?.['schema'] !== undefined) return undefined;
  if (!responseSchema) return responseJson ? { ...text, format: { type: 'json_object' } } : undefined;
  const { format, warnings } = responseFormat(responseSchema, namedIn(named));
  for (const warning of warnings) warn(warning);
  return { ...text, format: { type: 'json_schema', ...format } };
}

function toolOf(tool: Tool): OpenAI.Responses.FunctionTool {
  const { strict, ...others } = extraOf(tool, 'openai-responses');
  const { name, description, parameters } = tool;
  return {
    ...others,
    type: 'function',
    name,
    ...definedMembers({ description }),
    parameters: { ...parameters },
    // Unless the caller wants it strict, every schema is taken as it is. The gateway checks the arguments.
    strict: typeof strict === 'boolean' ? strict : false,
  };
}

function toolChoice(choice: ChatRequest['toolChoice']) {
  return typeof choice === 'object' ? { type: 'function' as const, name: choice.name } : choice;
}
