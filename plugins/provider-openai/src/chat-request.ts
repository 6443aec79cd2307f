import type { JsonObject } from '@patchbay/core/plugin';
import {
  type ChatRequest,
  definedMembers,
  fieldsOf,
  type JsonFields,
  listOf,
  type Message,
  type ModelInfo,
  partsOf,
  portableToolCallId,
  providerError,
  type TextPart,
  type Tool,
  type ToolResultPart,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { assistantMessage } from './assistant-message.ts';
import { toolsNeedNoReasoning } from './catalogue.ts';
import type { ChatStyle } from './chat-style.ts';
import { isPlain, textPart, userPart } from './content-parts.ts';
import { extraOf, foreignTo } from './extra.ts';
import { marked } from './prefill.ts';
import { type Preset, shortToolCallId } from './presets.ts';
import { namedIn, responseFormat } from './response-format.ts';

/** OpenAI takes no more. */
const MOST_STOPS = 4;

/**
 * The body of a request, and warnings about what was expressed differently.
 *
 * @param provider Name of the provider, for messages.
 */
export function chatRequest(provider: string, model: ModelInfo, request: ChatRequest, preset?: Preset) {
  const warnings = new Set(foreignTo('openai-chat', request));
  const warn = (sentence: string) => void warnings.add(sentence);
  const isOpenAi = model.vendor === 'openai';
  const style: ChatStyle = {
    provider,
    preset,
    isOpenAi,
    // An unknown server may want back what it sent, as DeepSeek does.
    reasoning: preset || isOpenAi ? preset?.reasoning : 'reasoning_content',
    callId: preset?.shortToolCallIds ? shortToolCallId : portableToolCallId,
    warn,
  };
  const { stream: _, stream_options: __, ...extra } = extraOf(request, 'openai-chat');
  refuseUnsupported(`${provider}/${model.name}`, model, request, extra);
  warnOfIgnored(request, style);
  const { tools, choice } = toolUse(request, style);
  const prefill = model.prefill ? preset?.prefill : undefined;
  const messages = chatMessages(request.messages, style);
  const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    ...extra,
    model: model.name,
    ...(prefill ? marked(messages, prefill) : { messages }),
    ...definedMembers({
      // OpenAI has renamed this. Other servers know the old name.
      [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: request.maxTokens,
      temperature: request.temperature,
      top_p: request.topP,
      frequency_penalty: request.frequencyPenalty,
      presence_penalty: request.presencePenalty,
      stop: request.stop && [...request.stop],
      [preset?.seed || 'seed']: preset?.seed === false ? undefined : request.seed,
      tools,
      tool_choice: choice,
      parallel_tool_calls: tools && !preset?.ignoresToolChoice ? request.parallelToolCalls : undefined,
      response_format: formatOf(request, extra, warn),
    }),
    ...effortOf(provider, model, request, preset, warn),
  };
  return { body, warnings: [...warnings] };
}

/** Refuses what no response of this adapter could hold, and what OpenAI is known to refuse. */
function refuseUnsupported(name: string, model: ModelInfo, { stop, reasoningEffort }: ChatRequest, extra: JsonObject) {
  const refuse = (what: string, parameter: string) =>
    providerError('unsupported', `${name} does not support ${what}`, { parameter });
  const { n = 1, modalities } = extra;
  if (n !== 1 && n !== null) throw refuse('several choices', 'n');
  if (listOf(modalities)?.includes('audio')) throw refuse('spoken answers', 'modalities');
  if (model.vendor !== 'openai') return;
  if (stop && stop.length > MOST_STOPS) throw refuse(`more than ${MOST_STOPS} stop sequences`, 'stop');
  if (reasoningEffort && reasoningEffort !== 'none' && !model.capabilities.includes('reasoning'))
    throw refuse('a reasoning effort', 'reasoningEffort');
}

/** Some servers take values and ignore them. */
function warnOfIgnored(request: ChatRequest, { provider, preset, warn }: ChatStyle): void {
  if (preset?.seed === false && request.seed !== undefined) warn(`${provider} has no seed: it was left out`);
  if (request.reasoningEffort === 'none') return;
  for (const name of preset?.ignoredWhileReasoning ?? []) {
    if (request[name] !== undefined) warn(`${provider} ignores ${name} while a model reasons`);
  }
}

function effortOf(
  provider: string,
  model: ModelInfo,
  { tools, reasoningEffort }: ChatRequest,
  preset: Preset | undefined,
  warn: (sentence: string) => void,
): JsonFields {
  if (tools?.length && model.vendor === 'openai' && toolsNeedNoReasoning.has(model.name)) {
    if (reasoningEffort !== 'none')
      warn(`${provider}/${model.name} answers without reasoning, because it takes no tools otherwise`);
    return { reasoning_effort: 'none' };
  }
  // A model without reasoning need not be asked to turn it off.
  const isIdle = model.vendor === 'openai' && !model.capabilities.includes('reasoning');
  if (reasoningEffort === undefined || isIdle) return {};
  if (reasoningEffort === 'none' && preset?.noReasoning) return preset.noReasoning;
  const effort = knownEffort(reasoningEffort, preset?.efforts);
  if (effort !== reasoningEffort) {
    warn(`${provider} has no reasoningEffort ${reasoningEffort}: it was sent as ${effort}`);
  }
  return { reasoning_effort: effort };
}

type Effort = NonNullable<ChatRequest['reasoningEffort']>;

const levels: readonly Effort[] = ['minimal', 'low', 'medium', 'high', 'xhigh'];

/** The requested effort, or the next one below it that the server knows, or the lowest. */
function knownEffort(asked: Effort, efforts: readonly Effort[] = [asked]): Effort {
  if (efforts.includes(asked)) return asked;
  const known = levels.filter((level) => efforts.includes(level));
  return known.findLast((level) => levels.indexOf(level) < levels.indexOf(asked)) ?? known[0] ?? asked;
}

/** The schema as the caller wrote it, if `extra` has it. */
function formatOf(
  { responseSchema, responseJson }: ChatRequest,
  extra: JsonObject,
  warn: (sentence: string) => void,
): OpenAI.ChatCompletionCreateParams['response_format'] {
  const named = fieldsOf(fieldsOf(extra['response_format'])?.['json_schema']);
  // It is among the members that are sent as they are.
  if (named?.['schema'] !== undefined) return undefined;
  if (!responseSchema) return responseJson ? { type: 'json_object' } : undefined;
  const { format, warnings } = responseFormat(responseSchema, namedIn(named));
  for (const warning of warnings) warn(warning);
  return { type: 'json_schema', json_schema: format };
}

/** The tools, limited to those that the model may see if the server does not enforce a choice. */
function toolUse({ tools = [], toolChoice, parallelToolCalls }: ChatRequest, { provider, preset, warn }: ChatStyle) {
  if (tools.length === 0) return {};
  if (!preset?.ignoresToolChoice) return { tools: tools.map(toolOf), choice: choiceOf(toolChoice) };
  if (toolChoice === 'none') return {};
  const only = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  if (parallelToolCalls === false) warn(`${provider} cannot be held to one call at a time`);
  if (only !== undefined || toolChoice === 'required') warn(`${provider} does not force a model to call a tool`);
  return { tools: tools.filter(({ name }) => only === undefined || name === only).map(toolOf) };
}

/** Without `strict`, every schema is taken as it is. The gateway checks the arguments. */
function toolOf(tool: Tool): OpenAI.ChatCompletionFunctionTool {
  const { name, description, parameters } = tool;
  const members = { name, ...definedMembers({ description }), parameters: { ...parameters } };
  return { type: 'function', function: { ...extraOf(tool, 'openai-chat'), ...members } };
}

function choiceOf(choice: ChatRequest['toolChoice']): OpenAI.ChatCompletionToolChoiceOption | undefined {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.name } };
  return choice;
}

type ToolMessage = Extract<Message, { readonly role: 'tool' }>;
type WireMessage = OpenAI.ChatCompletionMessageParam;

/**
 * The messages of a conversation. Results of tools are texts in this format: their images and files follow as a message
 * of the user, after all results of the turn.
 */
export function chatMessages(messages: readonly Message[], style: ChatStyle): WireMessage[] {
  const written: WireMessage[] = [];
  let attached: OpenAI.ChatCompletionContentPart[] = [];
  const attach = (): void => {
    if (attached.length === 0) return;
    written.push({ role: 'user', content: attached });
    attached = [];
    style.warn(`${style.provider} has texts as tool results only: their images and files were sent as the user's`);
  };
  for (const message of messages) {
    if (message.role !== 'tool') attach();
    written.push(chatMessage(message, style));
    if (message.role === 'tool') attached.push(...attachments(message, style));
  }
  attach();
  return written;
}

function chatMessage(message: Message, style: ChatStyle): WireMessage {
  if (message.role === 'assistant') return assistantMessage(message, style);
  if (message.role === 'tool') return toolMessage(message, style);
  const extra = extraOf(message, 'openai-chat');
  if (message.role === 'user') {
    const { content } = message;
    const parts = typeof content === 'string' ? content : content.map((part) => userPart(part, style));
    return { ...extra, role: 'user', content: parts };
  }
  return { ...extra, role: systemRole(message), content: systemContent(message.content, style) };
}

/** OpenAI's newer models call it `developer`; both roles mean the same. */
export function systemRole(message: Message): 'system' | 'developer' {
  return extraOf(message, 'openai-chat')['role'] === 'developer' ? 'developer' : 'system';
}

function systemContent(content: string | readonly TextPart[], style: ChatStyle) {
  return typeof content === 'string' ? content : content.map((part) => textPart(part, style));
}

const isText = (part: ToolResultPart): part is TextPart => part.type === 'text';

function toolMessage(message: ToolMessage, style: ChatStyle): OpenAI.ChatCompletionToolMessageParam {
  if (message.isError) warnOfError(style);
  const texts = partsOf<ToolResultPart>(message.content).filter(isText);
  const [only, more] = texts;
  const isOne = only === undefined || (more === undefined && isPlain(only, style));
  return {
    ...extraOf(message, 'openai-chat'),
    role: 'tool',
    // Many servers take nothing but a string here.
    content: isOne ? (only?.text ?? '') : texts.map((part) => textPart(part, style)),
    tool_call_id: style.callId(message.toolCallId),
  };
}

export function warnOfError({ provider, warn }: Pick<ChatStyle, 'provider' | 'warn'>): void {
  warn(`${provider} has no mark for tool results that are errors: their content alone says so`);
}

function attachments({ content, toolCallId }: ToolMessage, style: ChatStyle): OpenAI.ChatCompletionContentPart[] {
  const parts = partsOf<ToolResultPart>(content).filter((part) => !isText(part));
  if (parts.length === 0) return [];
  const title = { type: 'text' as const, text: `Of the result of the tool call ${style.callId(toolCallId)}:` };
  return [title, ...parts.map((part) => userPart(part, style))];
}
