import type { AssistantContent, AssistantPart, ContentPart, Message, ReasoningPart } from '@patchbay/contracts/message';
import type { ChatDelta, ToolCall } from '@patchbay/contracts/provider';

/**
 * The parts of a content; a string is one part, and an empty string none.
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
 * The text that a reader of a content sees: its text parts concatenated, without reasoning and tool calls.
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
 * The messages with only their text, for vendors whose messages are strings: after `assertSupported` has refused
 * tools and attachments for such a model, they contain nothing else.
 *
 * @example
 * ```ts
 * import { textMessages } from '@patchbay/core/provider';
 *
 * const messages = textMessages([{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]);
 * console.log(messages); // [ { role: 'user', content: 'Hello' } ]
 * ```
 */
export function textMessages(
  messages: readonly Message[],
): readonly { readonly role: Message['role']; readonly content: string }[] {
  return messages.map(({ role, content }) => ({ role, content: spokenText(content) }));
}

/** A refusal counts as text where there is no other form for it. */
function spokenText(content: Message['content']): string {
  let text = '';
  for (const part of partsOf<ContentPart>(content)) {
    if (part.type === 'text' || part.type === 'refusal') text += part.text;
  }
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

/** A content from a text and tool calls, for callers that keep the two separate. */
export function assistantContent(text: string, toolCalls: readonly ToolCall[]): readonly AssistantPart[] {
  return [...partsOf<AssistantPart>(text), ...toolCalls.map((call) => ({ type: 'tool-call' as const, ...call }))];
}

/** The content with only one of its calls: every call of a conversation needs its result. */
export function withOneCall(content: AssistantContent, { id }: ToolCall): AssistantContent {
  return typeof content === 'string' ? content : content.filter((part) => part.type !== 'tool-call' || part.id === id);
}

/**
 * The message of a response: its text, and its parts if there is more than text. Reasoning names the model that
 * reasoned.
 */
export function responseMessage(content: AssistantContent, by: string) {
  const message = { role: 'assistant', content: contentText(content) } as const;
  const isPlain = typeof content === 'string' || (content.length <= 1 && content.every(({ type }) => type === 'text'));
  if (isPlain) return message;
  return { ...message, parts: content.map((part) => (part.type === 'reasoning' ? { ...part, by } : part)) };
}

/** The reasoning of other providers, and of unknown ones. */
export function foreignReasoning(messages: readonly Message[], provider: string): readonly ReasoningPart[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' && typeof message.content !== 'string'
      ? message.content.flatMap((part) => (part.type === 'reasoning' && !isBy(provider, part) ? [part] : []))
      : [],
  );
}

/** The messages without reasoning of other providers: it is signed or encrypted for its own provider only. */
export function ownReasoning(messages: readonly Message[], provider: string): readonly Message[] {
  if (foreignReasoning(messages, provider).length === 0) return messages;
  return messages.map((message) =>
    message.role === 'assistant' && typeof message.content !== 'string'
      ? { ...message, content: message.content.filter((part) => part.type !== 'reasoning' || isBy(provider, part)) }
      : message,
  );
}

const isBy = (provider: string, { by = '' }: ReasoningPart): boolean => by.startsWith(`${provider}/`);

type ReasoningEnd = Pick<ReasoningPart, 'signature' | 'encrypted' | 'extra'>;

/** A part whose text grows with each delta: a copy for each would cost more than the text. */
type Growing<P> = { -readonly [N in keyof P]: P[N] };

/** Accumulates the deltas of a stream into the content of its result. */
export class ContentBuilder {
  readonly #parts: Growing<AssistantPart>[] = [];
  /** The text of the last part, if it has been continued. */
  #continued: GrowingText | undefined;
  /** Whether the last part is unfinished reasoning. */
  #isReasoning = false;
  /** Positions of calls that are announced but not yet complete, by id. */
  readonly #announced = new Map<string, number>();

  /** A delta of the stream. The last one has no content. */
  take(delta: ChatDelta): void {
    if (delta.type === 'tool-call') this.call(delta.toolCall);
    else if (delta.type === 'reasoning-end') {
      const { type: _, ...end } = delta;
      this.endReasoning(end);
    } else if (delta.type === 'tool-arguments') this.#announce(delta);
    else if (delta.type !== 'finish') this.add(delta.type, delta.text);
  }

  /** A text that continues the last part of its kind, or begins one. */
  add(type: 'text' | 'refusal' | 'reasoning', text: string): void {
    const last = this.#parts.at(-1);
    const continues = last?.type === type && (type !== 'reasoning' || this.#isReasoning);
    if (continues) {
      this.#continued ??= new GrowingText(last.text);
      this.#continued.add(text);
    } else if (text !== '' || type === 'reasoning') {
      this.#settle();
      this.#parts.push({ type, text });
    }
    this.#isReasoning = this.#parts.at(-1)?.type === 'reasoning' && type === 'reasoning';
  }

  /** Completes the reasoning so far, or adds reasoning that has no text. */
  endReasoning(end: ReasoningEnd): void {
    this.#settle();
    const open = this.#isReasoning ? this.#parts.pop() : undefined;
    if (open || Object.keys(end).length > 0) this.#parts.push({ text: '', ...open, type: 'reasoning', ...end });
    this.#isReasoning = false;
  }

  /** The position of a call is where it was announced, so that calls whose pieces alternate keep their order. */
  call(toolCall: ToolCall): void {
    this.#settle();
    this.#isReasoning = false;
    const part = { type: 'tool-call', ...toolCall } as const;
    this.#parts[this.#announced.get(toolCall.id) ?? this.#parts.length] = part;
    this.#announced.delete(toolCall.id);
  }

  #announce({ id, name }: { readonly id: string; readonly name: string }): void {
    if (this.#announced.has(id)) return;
    this.#settle();
    this.#isReasoning = false;
    this.#announced.set(id, this.#parts.length);
    this.#parts.push({ type: 'tool-call', id, name, arguments: {} });
  }

  /** Called before another part is added, or the last part is read. */
  #settle(): void {
    const last = this.#parts.at(-1);
    if (this.#continued && last && 'text' in last) last.text = this.#continued.text;
    this.#continued = undefined;
  }

  /** A single text as a string, everything else as parts. Incomplete calls are left out. */
  get content(): AssistantContent {
    this.#settle();
    const open = new Set(this.#announced.values());
    const parts = open.size === 0 ? this.#parts : this.#parts.filter((_, place) => !open.has(place));
    const [only, more] = parts;
    if (only === undefined) return '';
    return more === undefined && only.type === 'text' ? only.text : parts;
  }
}

/** Pieces that wait to be joined. */
const WAITING = 64;

/**
 * A text that grows by small pieces. Appended to a string one by one, each would stay an object of its own for as long
 * as the text lives, and the garbage collector would copy them all: with a hundred streams, that is most of its work.
 */
export class GrowingText {
  #text: string;
  #waiting: string[] = [];

  constructor(text = '') {
    this.#text = text;
  }

  add(piece: string): void {
    this.#waiting.push(piece);
    if (this.#waiting.length === WAITING) this.#join();
  }

  get text(): string {
    if (this.#waiting.length > 0) this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#waiting.join('');
    this.#waiting = [];
  }
}
