import type { ToolCallPart } from '@patchbay/core/provider';
import { JsonEnd } from '../anthropic-messages/json-end.ts';
import { writeProof } from '../anthropic-messages/reasoning-proof.ts';
import type { ChatPiece } from '../gateway-types.ts';
import type { ItemEvent } from './item-event.ts';
import type { CallNames } from './namespaces.ts';
import type { BegunItems, OpenMessage, OpenReasoning } from './open-items.ts';
import {
  type CalledName,
  calledName,
  type MessageContent,
  messageItem,
  type OutputItem,
  openCallItem,
  reasoningItem,
  textContent,
  withoutProof,
} from './output-items.ts';
import { itemId, type ResponseHead } from './response-object.ts';

type Proof = Extract<ChatPiece, { reasoningEnd: unknown }>['reasoningEnd'];

export interface ItemOptions {
  /** Whether the client requested `reasoning.encrypted_content`. */
  readonly withProofs: boolean;
  readonly names: CallNames;
}

interface PlaceInOutput {
  readonly item_id: string;
  readonly output_index: number;
}

interface OpenCall extends Pick<ToolCallPart, 'id'>, CalledName {
  readonly index: number;
  readonly end: JsonEnd;
  text: string;
}

/**
 * Turns pieces into the events of items. A message or reasoning ends where something else begins; calls, whose pieces
 * may alternate, end once the text of their arguments is complete.
 */
export class ItemWriter {
  readonly #id: string;
  readonly #names: CallNames;
  readonly #show: (item: OutputItem) => OutputItem;
  readonly #output: OutputItem[];
  readonly #calls = new Map<string, OpenCall>();
  #model: string;
  #open: OpenMessage | OpenReasoning | undefined;
  #count: number;

  constructor(
    { id, model }: Pick<ResponseHead, 'id' | 'model'>,
    { withProofs, names }: ItemOptions,
    { complete, open }: BegunItems = { complete: [], open: undefined },
  ) {
    this.#id = id;
    this.#model = model;
    this.#names = names;
    this.#show = withProofs ? (item) => item : withoutProof;
    this.#output = [...complete];
    this.#open = open;
    this.#count = complete.length + (open ? 1 : 0);
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
    if ('delta' in piece) for (const text of piece.pieces ?? [piece.delta]) yield* this.#say('output_text', text);
    else if ('refusal' in piece) yield* this.#say('refusal', piece.refusal);
    else if ('reasoning' in piece) for (const text of piece.pieces ?? [piece.reasoning]) yield* this.#think(text);
    else if ('reasoningEnd' in piece) yield* this.#prove(piece.reasoningEnd);
    else yield* this.#call(piece.toolCall);
  }

  /** From here on, another model writes. It continues the text; the reasoning of the previous one ends. */
  *resume(model: string): Generator<ItemEvent> {
    if (this.#open?.kind === 'reasoning') yield* this.#closeReasoning(this.#open, {});
    this.#model = model;
  }

  /** The response is complete, or will never be. */
  *end(status: 'completed' | 'incomplete'): Generator<ItemEvent> {
    yield* this.#close(status);
    for (const call of this.#calls.values()) yield* this.#closeCall(call, status);
  }

  *#say(part: MessageContent['type'], text: string): Generator<ItemEvent> {
    if (text === '') return;
    let open = this.#open;
    if (open?.kind !== 'message') {
      yield* this.#close();
      const index = this.#begin();
      const item = messageItem([], index, this.#id, 'in_progress');
      open = { kind: 'message', index, item, content: [], part, text: '' };
      yield this.#added(item, index);
      yield this.#partEvent('added', open, part);
    } else if (open.part !== part) {
      const content = yield* this.#closePart(open);
      open = { ...open, content, part, text: '' };
      yield this.#partEvent('added', open, part);
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
      const index = this.#begin();
      const item = reasoningItem({ text: '' }, index, this.#id);
      open = { kind: 'reasoning', index, item, content: [], text: '' };
      yield this.#added(withoutProof(item), index);
      const part = { type: 'summary_text', text: '' } as const;
      yield { type: 'response.reasoning_summary_part.added', ...this.#place(open), summary_index: 0, part };
    }
    this.#open = { ...open, text: (open.text ?? '') + text };
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
      call = { id, ...calledName(name, this.#names), index: this.#begin(), end: new JsonEnd(), text: '' };
      this.#calls.set(id, call);
      yield this.#added(openCallItem(call, '', call.index, this.#id, 'in_progress'), call.index);
    }
    // Its arguments were complete: only white space may follow.
    if (text === '' || this.#output[call.index]) return;
    call.text += text;
    call.end.push(text);
    yield { type: 'response.function_call_arguments.delta', ...this.#place(call), delta: text };
    if (call.end.isReached) yield* this.#closeCall(call, 'completed');
  }

  *#closeCall(call: OpenCall, status: 'completed' | 'incomplete'): Generator<ItemEvent> {
    if (this.#output[call.index]) return;
    // Clients parse the arguments as JSON, and an empty string is not JSON.
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
    yield this.#done({ ...open.item, content, status }, open.index);
  }

  *#closePart(open: OpenMessage): Generator<ItemEvent, MessageContent[]> {
    if (!open.part) return open.content;
    const place = { ...this.#place(open), content_index: open.content.length };
    yield open.part === 'refusal'
      ? { type: 'response.refusal.done', ...place, refusal: open.text }
      : { type: 'response.output_text.done', ...place, text: open.text, logprobs: [] };
    yield this.#partEvent('done', open, open.part);
    return [...open.content, contentPart(open.part, open.text)];
  }

  *#closeReasoning(open: OpenReasoning, proof: Proof): Generator<ItemEvent> {
    const { item, index, content, text } = open;
    const place = { ...this.#place(open), summary_index: content.length };
    const part = { type: 'summary_text', text: text ?? '' } as const;
    if (text !== undefined) {
      yield { type: 'response.reasoning_summary_text.done', ...place, text };
      yield { type: 'response.reasoning_summary_part.done', ...place, part };
    }
    const summary = text === undefined ? content : [...content, part];
    yield this.#done({ ...item, summary, encrypted_content: writeProof({ by: this.#model, ...proof }) }, index);
  }

  #partEvent(step: 'added' | 'done', open: OpenMessage, type: MessageContent['type']): ItemEvent {
    const place = { ...this.#place(open), content_index: open.content.length };
    return { type: `response.content_part.${step}`, ...place, part: contentPart(type, open.text) };
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
    const item_id = 'item' in open ? open.item.id : itemId('fc', this.#id, index);
    return { item_id, output_index: index };
  }

  #begin(): number {
    this.#count += 1;
    return this.#count - 1;
  }
}

function contentPart(type: MessageContent['type'], text: string): MessageContent {
  return type === 'refusal' ? { type: 'refusal', refusal: text } : textContent(text);
}
