import type { AssistantContent, AssistantPart, ContentPart, Message, ReasoningPart } from '../contracts/message.ts';
import type { ChatDelta, ToolCall } from '../contracts/provider.ts';

/**
 * The parts of a content; a text is one part, and an empty text none.
 *
 * @example
 * ```ts
 * import { partsOf } from '@patchbay/core/provider';
 *
 * console.log(partsOf('Hello')); // [ { type: 'text', text: 'Hello' } ]
 * ```
 */
export function partsOf<P extends ContentPart>(
  content: string | readonly P[],
): readonly (P | Extract<P, { readonly type: 'text' }>)[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content } as unknown as Extract<P, { readonly type: 'text' }>];
}

/**
 * The text that a reader of a content sees: its text parts in a row, without reasoning and tool calls.
 *
 * @example
 * ```ts
 * import { contentText } from '@patchbay/core/provider';
 *
 * console.log(contentText([{ type: 'text', text: 'Hello' }])); // Hello
 * ```
 */
export function contentText(content: Message['content']): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const part of content) if (part.type === 'text') text += part.text;
  return text;
}

/**
 * The tool calls of a response, in their order.
 *
 * @example
 * ```ts
 * import { toolCallsOf } from '@patchbay/core/provider';
 *
 * const [call] = toolCallsOf([{ type: 'tool-call', id: '1', name: 'weather', arguments: { city: 'Bern' } }]);
 * console.log(call?.name); // weather
 * ```
 */
export function toolCallsOf(content: AssistantContent): readonly ToolCall[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => {
    if (part.type !== 'tool-call') return [];
    const { type: _, ...call } = part;
    return [call];
  });
}

/**
 * A content out of a text and tool calls, for vendors that keep the two apart.
 *
 * @example
 * ```ts
 * import { assistantContent } from '@patchbay/core/provider';
 *
 * console.log(assistantContent('Hello', [])); // [ { type: 'text', text: 'Hello' } ]
 * ```
 */
export function assistantContent(text: string, toolCalls: readonly ToolCall[]): readonly AssistantPart[] {
  return [...partsOf<AssistantPart>(text), ...toolCalls.map((call) => ({ type: 'tool-call' as const, ...call }))];
}

/** The content with one of its calls: every call of a conversation needs its result. */
export function withOneCall(content: AssistantContent, { id }: ToolCall): AssistantContent {
  return typeof content === 'string' ? content : content.filter((part) => part.type !== 'tool-call' || part.id === id);
}

/**
 * The message of a response: its text, and its parts where there is more than a text. Reasoning names the model that
 * reasoned.
 */
export function responseMessage(content: AssistantContent, by: string) {
  const message = { role: 'assistant', content: contentText(content) } as const;
  const isPlain = typeof content === 'string' || (content.length <= 1 && content.every(({ type }) => type === 'text'));
  if (isPlain) return message;
  return { ...message, parts: content.map((part) => (part.type === 'reasoning' ? { ...part, by } : part)) };
}

/** The messages without reasoning of other providers: it is signed or encrypted for its own, and no other may see it. */
export function ownReasoning(messages: readonly Message[], provider: string): readonly Message[] {
  const isForeign = (part: AssistantPart): boolean =>
    part.type === 'reasoning' && !(part.by ?? '').startsWith(`${provider}/`);
  if (messages.every((message) => message.role !== 'assistant' || !partsOf(message.content).some(isForeign)))
    return messages;
  return messages.map((message) =>
    message.role === 'assistant' && typeof message.content !== 'string'
      ? { ...message, content: message.content.filter((part) => !isForeign(part)) }
      : message,
  );
}

type ReasoningEnd = Pick<ReasoningPart, 'signature' | 'encrypted' | 'extra'>;

/** Adds up the deltas of a stream to the content of its result. */
export class ContentBuilder {
  readonly #parts: AssistantPart[] = [];
  /** Whether the last part is reasoning that goes on. */
  #isReasoning = false;

  /** A delta of the stream. The last one has no content. */
  take(delta: ChatDelta): void {
    if (delta.type === 'tool-call') this.call(delta.toolCall);
    else if (delta.type === 'reasoning-end') {
      const { type: _, ...end } = delta;
      this.endReasoning(end);
    } else if (delta.type !== 'tool-arguments' && delta.type !== 'finish') this.add(delta.type, delta.text);
  }

  /** A text that continues the last part of its kind, or begins one. */
  add(type: 'text' | 'refusal' | 'reasoning', text: string): void {
    const last = this.#parts.at(-1);
    const continues = last?.type === type && (type !== 'reasoning' || this.#isReasoning);
    if (continues) this.#parts[this.#parts.length - 1] = { ...last, text: last.text + text };
    else if (text !== '' || type === 'reasoning') this.#parts.push({ type, text });
    this.#isReasoning = this.#parts.at(-1)?.type === 'reasoning' && type === 'reasoning';
  }

  /** Completes the reasoning so far, or adds reasoning that has no text. */
  endReasoning(end: ReasoningEnd): void {
    const open = this.#isReasoning ? this.#parts.pop() : undefined;
    if (open || Object.keys(end).length > 0) this.#parts.push({ text: '', ...open, type: 'reasoning', ...end });
    this.#isReasoning = false;
  }

  call(toolCall: ToolCall): void {
    this.#isReasoning = false;
    this.#parts.push({ type: 'tool-call', ...toolCall });
  }

  /** A single text as such, everything else as parts. */
  get content(): AssistantContent {
    const [only, more] = this.#parts;
    if (only === undefined) return '';
    return more === undefined && only.type === 'text' ? only.text : this.#parts;
  }
}
