import {
  type AssistantPart,
  fieldsOf,
  jsonTextOf,
  listOf,
  type Message,
  partsOf,
  type ReasoningPart,
  type ToolCallPart,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ChatStyle } from './chat-style.ts';
import { isPlain, textPart } from './content-parts.ts';
import { extraOf, refuseStored } from './extra.ts';

type AssistantMessage = Extract<Message, { readonly role: 'assistant' }>;
type SpokenPart = Extract<AssistantPart, { readonly type: 'text' | 'refusal' }>;

const isReasoning = (part: AssistantPart): part is ReasoningPart => part.type === 'reasoning';
const isCall = (part: AssistantPart): part is ToolCallPart => part.type === 'tool-call';
const isSpoken = (part: AssistantPart): part is SpokenPart => part.type === 'text' || part.type === 'refusal';

/** A turn of the model: this format keeps its reasoning, what it says, and its calls apart. */
export function assistantMessage(
  message: AssistantMessage,
  style: ChatStyle,
): OpenAI.ChatCompletionAssistantMessageParam {
  const parts = partsOf<AssistantPart>(message.content);
  if (!isInOrder(parts)) {
    style.warn(
      `${style.provider} has reasoning, text and tool calls of a turn in this order only: they were put in it`,
    );
  }
  const { thoughts, ...reasoning } = reasoningOf(parts.filter(isReasoning), style);
  const calls = parts.filter(isCall).map((call) => toolCall(call, style));
  const spoken = contentOf(parts.filter(isSpoken), style);
  // Next to tool calls, no text is null: some servers refuse an empty one.
  const content = spoken === '' && calls.length > 0 ? null : spoken;
  // `logprobs` of a result belong to its choice.
  const { logprobs: _, ...extra } = extraOf(message, 'openai-chat');
  refuseStored(style.provider, { file_id: fieldsOf(extra['audio'])?.['id'] });
  return {
    ...extra,
    ...(style.preset?.needsReasoning && style.reasoning && { [style.reasoning]: '' }),
    ...reasoning,
    role: 'assistant',
    content: thoughts.length > 0 ? withThoughts(thoughts, content) : content,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

const ranks = { reasoning: 0, text: 1, refusal: 1, 'tool-call': 2 } as const;

function isInOrder(parts: readonly AssistantPart[]): boolean {
  return parts.every(({ type }, index) => ranks[parts[index - 1]?.type ?? 'reasoning'] <= ranks[type]);
}

type Content = string | OpenAI.ChatCompletionAssistantMessageParam['content'];

function contentOf(parts: readonly SpokenPart[], style: ChatStyle): Exclude<Content, null | undefined> {
  const [only, more] = parts;
  if (only === undefined) return '';
  if (more === undefined && only.type === 'text' && isPlain(only, style)) return only.text;
  return parts.map((part) =>
    part.type === 'text'
      ? textPart(part, style)
      : { ...extraOf(part, 'openai-chat'), type: 'refusal' as const, refusal: part.text },
  );
}

/** Mistral has thoughts among the content. */
function withThoughts(thoughts: readonly string[], content: Content): NonNullable<Exclude<Content, string>> {
  const said = typeof content === 'string' ? partsOf(content) : (content ?? []);
  const thinking = thoughts.map((text) => ({ type: 'thinking', thinking: [{ type: 'text', text }] }));
  return [...thinking, ...said] as unknown as NonNullable<Exclude<Content, string>>;
}

/** The members that hold the reasoning, and the thoughts that belong in the content. */
function reasoningOf(
  parts: readonly ReasoningPart[],
  { provider, reasoning, warn }: ChatStyle,
): { readonly thoughts: readonly string[]; readonly [member: string]: unknown } {
  const details = parts.map(({ encrypted }) => (encrypted === undefined ? undefined : listIn(encrypted)));
  const texts = parts.filter((_, index) => !details[index]).map(({ text }) => text);
  if (
    parts.some(({ encrypted }, index) => encrypted !== undefined && !details[index]) ||
    (texts.length > 0 && !reasoning)
  )
    warn(`${provider} has no place for the reasoning of earlier turns in chat completions: it was not sent`);
  const all = details.flatMap((list) => list ?? []);
  const said = texts.filter((text) => text !== '');
  return {
    thoughts: reasoning === 'thinking' ? said : [],
    ...(all.length > 0 && { reasoning_details: all }),
    ...(said.length > 0 && reasoning && reasoning !== 'thinking' && { [reasoning]: said.join('\n\n') }),
  };
}

/** The list that OpenRouter sent; undefined for the encrypted reasoning of another API. */
function listIn(text: string): readonly unknown[] | undefined {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function toolCall(call: ToolCallPart, { callId }: ChatStyle): OpenAI.ChatCompletionMessageFunctionToolCall {
  const { function: more, ...others } = extraOf(call, 'openai-chat');
  const target = { ...fieldsOf(more), name: call.name, arguments: jsonTextOf(call.arguments) };
  return { ...others, id: callId(call.id), type: 'function', function: target };
}
