import type { ToolCallPart } from '@patchbay/core/provider';
import type { Responses } from 'openai/resources/responses/responses';
import { JsonEnd } from '../anthropic-messages/json-end.ts';
import type { ChatPiece } from '../gateway-types.ts';
import {
  type MessageContent,
  messageItem,
  type OutputItem,
  openCallItem,
  reasoningItem,
  textContent,
  withoutProof,
} from './output-items.ts';
import { itemId, type ResponseHead } from './response-object.ts';

/** Without its number in the stream. */
export type ItemEvent = DistributiveOmit<
  | Responses.ResponseOutputItemAddedEvent
  | Responses.ResponseOutputItemDoneEvent
  | Responses.ResponseContentPartAddedEvent
  | Responses.ResponseContentPartDoneEvent
  | Responses.ResponseTextDeltaEvent
  | Responses.ResponseTextDoneEvent
  | Responses.ResponseRefusalDeltaEvent
  | Responses.ResponseRefusalDoneEvent
  | Responses.ResponseFunctionCallArgumentsDeltaEvent
  | Responses.ResponseFunctionCallArgumentsDoneEvent
  | Responses.ResponseReasoningSummaryPartAddedEvent
  | Responses.ResponseReasoningSummaryPartDoneEvent
  | Responses.ResponseReasoningSummaryTextDeltaEvent
  | Responses.ResponseReasoningSummaryTextDoneEvent,
  'sequence_number'
>;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Proof = Extract<ChatPiece, { reasoningEnd: unknown }>['reasoningEnd'];

interface PlaceInOutput {
  readonly item_id: string;
  readonly output_index: number;
}

interface OpenMessage {
  readonly kind: 'message';
  readonly index: number;
  /** Complete parts. */
  readonly content: MessageContent[];
  readonly part: 'output_text' | 'refusal';
  readonly text: string;
}

interface OpenReasoning {
  readonly kind: 'reasoning';
  readonly index: number;
  readonly text: string;
}

interface OpenCall extends Pick<ToolCallPart, 'id' | 'name'> {
  readonly index: number;
  readonly end: JsonEnd;
  text: string;
}

/**
 * Makes the events of items out of pieces. A message or reasoning ends where something else begins; calls, whose pieces
 * may alternate, end once the text of their arguments is complete.
 */
export class ItemWriter {
  readonly #id: string;
  readonly #show: (item: OutputItem) => OutputItem;
  readonly #model: string;
  readonly #output: OutputItem[] = [];
  readonly #calls = new Map<string, OpenCall>();
  #open: OpenMessage | OpenReasoning | undefined;
  #count = 0;

  /** @param withProofs Whether the client asked for `reasoning.encrypted_content`. */
  constructor({ id, model }: Pick<ResponseHead, 'id' | 'model'>, withProofs: boolean) {
    this.#id = id;
    this.#model = model;
    this.#show = withProofs ? (item) => item : withoutProof;
  }

  /** The complete items, in the order in which they began, with their proofs. */
  get complete(): OutputItem[] {
    return this.#output.filter(Boolean);
  }

  /** The same, for the client. */
  get output(): OutputItem[] {
    return this.complete.map(this.#show);
  }

  *write(piece: ChatPiece): Generator<ItemEvent> {
    if ('delta' in piece) yield* this.#say('output_text', piece.delta);
    else if ('refusal' in piece) yield* this.#say('refusal', piece.refusal);
    else if ('reasoning' in piece) yield* this.#think(piece.reasoning);
    else if ('reasoningEnd' in piece) yield* this.#prove(piece.reasoningEnd);
    else yield* this.#call(piece.toolCall);
  }

  /** The response is complete, or will never be. */
  *end(status: 'completed' | 'incomplete'): Generator<ItemEvent> {
    yield* this.#close(status);
    for (const call of this.#calls.values()) yield* this.#closeCall(call, status);
  }

  *#say(part: OpenMessage['part'], text: string): Generator<ItemEvent> {
    if (text === '') return;
    let open = this.#open;
    if (open?.kind !== 'message') {
      yield* this.#close();
      open = { kind: 'message', index: this.#begin(), content: [], part, text: '' };
      yield this.#added(messageItem([], open.index, this.#id, 'in_progress'), open.index);
      yield this.#partEvent('added', open);
    } else if (open.part !== part) {
      const content = yield* this.#closePart(open);
      open = { ...open, content, part, text: '' };
      yield this.#partEvent('added', open);
    }
    this.#open = { ...open, text: open.text + text };
    const type = part === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta';
    const delta = { ...this.#place(open), content_index: open.content.length, delta: text };
    yield type === 'response.refusal.delta' ? { type, ...delta } : { type, ...delta, logprobs: [] };
  }

  *#think(text: string): Generator<ItemEvent> {
    if (text === '') return;
    let open = this.#open;
    if (open?.kind !== 'reasoning') {
      yield* this.#close();
      open = { kind: 'reasoning', index: this.#begin(), text: '' };
      yield this.#added(withoutProof(reasoningItem({ text: '' }, open.index, this.#id)), open.index);
      const part = { type: 'summary_text', text: '' } as const;
      yield { type: 'response.reasoning_summary_part.added', ...this.#place(open), summary_index: 0, part };
    }
    this.#open = { ...open, text: open.text + text };
    yield {
      type: 'response.reasoning_summary_text.delta',
      ...this.#place(open),
      summary_index: 0,
      delta: text,
    };
  }

  /** Reasoning that the vendor keeps to itself has a proof and no text. */
  *#prove(proof: Proof): Generator<ItemEvent> {
    if (this.#open?.kind === 'reasoning') {
      yield* this.#closeReasoning(this.#open, proof);
      return;
    }
    if (proof.signature === undefined && proof.encrypted === undefined) return;
    yield* this.#close();
    const index = this.#begin();
    yield this.#added(withoutProof(reasoningItem({ text: '' }, index, this.#id)), index);
    yield this.#done(reasoningItem({ text: '', by: this.#model, ...proof }, index, this.#id), index);
  }

  *#call({ id, name, arguments: text }: Extract<ChatPiece, { toolCall: unknown }>['toolCall']): Generator<ItemEvent> {
    let call = this.#calls.get(id);
    if (!call) {
      yield* this.#close();
      call = { id, name, index: this.#begin(), end: new JsonEnd(), text: '' };
      this.#calls.set(id, call);
      yield this.#added(openCallItem(call, '', call.index, this.#id, 'in_progress'), call.index);
    }
    // Its arguments were complete: what may follow is space.
    if (text === '' || this.#output[call.index]) return;
    call.text += text;
    call.end.push(text);
    yield { type: 'response.function_call_arguments.delta', ...this.#place(call), delta: text };
    if (call.end.isReached) yield* this.#closeCall(call, 'completed');
  }

  *#closeCall(call: OpenCall, status: 'completed' | 'incomplete'): Generator<ItemEvent> {
    if (this.#output[call.index]) return;
    // Clients parse the arguments as JSON, and no text at all is none.
    if (call.text === '' && status === 'completed') call.text = '{}';
    const item = openCallItem(call, call.text, call.index, this.#id, status);
    yield { type: 'response.function_call_arguments.done', ...this.#place(call), arguments: item.arguments };
    yield this.#done(item, call.index);
  }

  *#close(status: 'completed' | 'incomplete' = 'completed'): Generator<ItemEvent> {
    const open = this.#open;
    if (open?.kind === 'reasoning') yield* this.#closeReasoning(open, {});
    if (open?.kind !== 'message') return;
    const content = yield* this.#closePart(open);
    yield this.#done(messageItem(content, open.index, this.#id, status), open.index);
  }

  *#closePart(open: OpenMessage): Generator<ItemEvent, MessageContent[]> {
    const place = { ...this.#place(open), content_index: open.content.length };
    yield open.part === 'refusal'
      ? { type: 'response.refusal.done', ...place, refusal: open.text }
      : { type: 'response.output_text.done', ...place, text: open.text, logprobs: [] };
    yield this.#partEvent('done', open);
    return [...open.content, contentPart(open)];
  }

  *#closeReasoning(open: OpenReasoning, proof: Proof): Generator<ItemEvent> {
    const place = { ...this.#place(open), summary_index: 0 };
    const part = { type: 'summary_text', text: open.text } as const;
    yield { type: 'response.reasoning_summary_text.done', ...place, text: open.text };
    yield { type: 'response.reasoning_summary_part.done', ...place, part };
    const item = reasoningItem({ text: open.text, by: this.#model, ...proof }, open.index, this.#id);
    yield this.#done(item, open.index);
  }

  #partEvent(step: 'added' | 'done', open: OpenMessage): ItemEvent {
    const place = { ...this.#place(open), content_index: open.content.length };
    return { type: `response.content_part.${step}`, ...place, part: contentPart(open) };
  }

  #added(item: OutputItem, index: number): ItemEvent {
    return { type: 'response.output_item.added', output_index: index, item };
  }

  #done(item: OutputItem, index: number): ItemEvent {
    this.#output[index] = item;
    if (this.#open?.index === index) this.#open = undefined;
    return { type: 'response.output_item.done', output_index: index, item: this.#show(item) };
  }

  #place({ index, ...open }: OpenMessage | OpenReasoning | OpenCall): PlaceInOutput {
    const prefix = !('kind' in open) ? 'fc' : open.kind === 'message' ? 'msg' : 'rs';
    return { item_id: itemId(prefix, this.#id, index), output_index: index };
  }

  #begin(): number {
    this.#count += 1;
    return this.#count - 1;
  }
}

function contentPart({ part, text }: OpenMessage): MessageContent {
  return part === 'refusal' ? { type: 'refusal', refusal: text } : textContent(text);
}
