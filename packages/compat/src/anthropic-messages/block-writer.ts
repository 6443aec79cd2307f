import type Anthropic from '@anthropic-ai/sdk';
import type { ChatPiece } from '../gateway-types.ts';
import { JsonEnd } from './json-end.ts';
import { writeProof } from './reasoning-proof.ts';
import { packToolId } from './tool-ids.ts';

/** `pieces`: the strings of as many events, which arrived together. */
export type BlockEvent =
  | Anthropic.RawContentBlockStartEvent
  | (Anthropic.RawContentBlockDeltaEvent & { readonly pieces?: readonly string[] | undefined })
  | Anthropic.RawContentBlockStopEvent;

type Proof = Extract<ChatPiece, { reasoningEnd: unknown }>['reasoningEnd'];

/** A piece, or several that were joined. */
type Item =
  | { readonly kind: 'text' | 'refusal' | 'thinking'; text: string; pieces?: readonly string[] | undefined }
  | { readonly kind: 'proof'; readonly proof: Proof }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; text: string };

type OpenBlock =
  | { readonly kind: 'text' | 'refusal' | 'thinking' }
  | { readonly kind: 'call'; readonly id: string; readonly end: JsonEnd; isEmpty: boolean };

/** Blocks that were written before. */
export interface BegunBlocks {
  /** Of the open block, or of the next one. */
  readonly index: number;
  readonly open: 'text' | 'thinking' | undefined;
}

/**
 * Turns pieces into blocks. Blocks of this API follow one another, while the pieces of several calls may alternate:
 * what arrives during a call waits until the text of its arguments is complete.
 */
export class BlockWriter {
  readonly #ended = new Set<string>();
  #model: string;
  #index: number;
  #open: OpenBlock | undefined;
  #waiting: Item[] = [];
  #events: readonly BlockEvent[] = none;

  /** @param model The model that reasons, as `<provider>/<model_name>`. */
  constructor(model: string, { index, open }: BegunBlocks = { index: 0, open: undefined }) {
    this.#model = model;
    this.#index = index;
    this.#open = open && { kind: open };
  }

  write(piece: ChatPiece): readonly BlockEvent[] {
    const item = itemOf(piece);
    if (this.#mustWait(item)) {
      this.#wait(item);
    } else {
      this.#emit(item);
      if (this.#waiting.length > 0 && !this.#isBusy()) this.#emitWaiting();
    }
    return this.#taken();
  }

  /** From here on, another model writes. It continues the text; the thinking of the previous one ends. */
  resume(model: string): readonly BlockEvent[] {
    if (this.#open?.kind === 'thinking') this.#close();
    this.#model = model;
    return this.#taken();
  }

  /** The message is complete: nothing waits any longer. */
  end(): readonly BlockEvent[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const item of waiting) this.#emit(item);
    this.#close();
    return this.#taken();
  }

  #taken(): readonly BlockEvent[] {
    const events = this.#events;
    this.#events = none;
    return events;
  }

  /** Mostly one per piece, for which a growing list would be long. */
  #add(event: BlockEvent): void {
    this.#events = this.#events === none ? [event] : [...this.#events, event];
  }

  #isBusy(): boolean {
    return this.#open?.kind === 'call' && !this.#open.end.isReached;
  }

  #mustWait(item: Item): boolean {
    if (!this.#isBusy()) return this.#waiting.length > 0;
    return !(item.kind === 'call' && this.#open?.kind === 'call' && item.id === this.#open.id);
  }

  /** Pieces of one call are joined, wherever they arrive. */
  #wait(item: Item): void {
    const begun =
      item.kind === 'call'
        ? this.#waiting.find((each) => each.kind === 'call' && each.id === item.id)
        : this.#waiting.at(-1);
    if (begun && begun.kind === item.kind && begun.kind !== 'proof' && item.kind !== 'proof') {
      begun.text += item.text;
      if ('pieces' in begun) begun.pieces = undefined;
    } else this.#waiting.push(item);
  }

  #emitWaiting(): void {
    while (!this.#isBusy()) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#emit(next);
    }
  }

  #emit(item: Item): void {
    if (item.kind === 'proof') this.#closeThinking(item.proof);
    else if (item.kind === 'call') this.#emitCall(item);
    else if (item.text !== '' || item.kind === 'thinking') {
      if (this.#open?.kind !== item.kind) this.#start({ kind: item.kind }, emptyBlock(item.kind));
      if (item.text === '') return;
      this.#delta(
        item.kind === 'thinking'
          ? { type: 'thinking_delta', thinking: item.text }
          : { type: 'text_delta', text: item.text },
        item.pieces,
      );
    }
  }

  #emitCall({ id, name, text }: Extract<Item, { kind: 'call' }>): void {
    // Its arguments were complete: only white space may follow.
    if (this.#ended.has(id)) return;
    if (!(this.#open?.kind === 'call' && this.#open.id === id)) {
      const block = { type: 'tool_use', id: packToolId(id), name, input: {}, caller: { type: 'direct' } } as const;
      this.#start({ kind: 'call', id, end: new JsonEnd(), isEmpty: true }, block);
    }
    if (text === '' || this.#open?.kind !== 'call') return;
    this.#open.end.push(text);
    if (text.trim() !== '') this.#open.isEmpty = false;
    this.#delta({ type: 'input_json_delta', partial_json: text });
  }

  #start(open: OpenBlock, block: Anthropic.RawContentBlockStartEvent['content_block']): void {
    this.#close();
    this.#open = open;
    this.#add({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  /** Reasoning always names its model, so that it can be sent back; signed reasoning includes its proof. */
  #closeThinking(proof: Proof): void {
    const signature = writeProof({ by: this.#model, ...proof });
    if (this.#open?.kind === 'thinking') {
      this.#delta({ type: 'signature_delta', signature });
      this.#stop();
    } else if (proof.encrypted !== undefined) {
      this.#close();
      const block = { type: 'redacted_thinking', data: signature } as const;
      this.#add({ type: 'content_block_start', index: this.#index, content_block: block });
      this.#stop();
    } else if (proof.signature !== undefined) {
      this.#start({ kind: 'thinking' }, emptyBlock('thinking'));
      this.#delta({ type: 'signature_delta', signature });
      this.#stop();
    }
  }

  #close(): void {
    const open = this.#open;
    if (!open) return;
    if (open.kind === 'thinking') {
      this.#closeThinking({});
      return;
    }
    if (open.kind === 'call') {
      this.#ended.add(open.id);
      // Clients parse the pieces as JSON, and no piece at all is not JSON.
      if (open.isEmpty) this.#delta({ type: 'input_json_delta', partial_json: '{}' });
    }
    this.#stop();
  }

  #stop(): void {
    this.#add({ type: 'content_block_stop', index: this.#index });
    this.#index += 1;
    this.#open = undefined;
  }

  #delta(delta: Anthropic.RawContentBlockDelta, pieces?: readonly string[]): void {
    this.#add({ type: 'content_block_delta', index: this.#index, delta, pieces });
  }
}

const none: readonly BlockEvent[] = [];

function emptyBlock(kind: 'text' | 'refusal' | 'thinking'): Anthropic.TextBlock | Anthropic.ThinkingBlock {
  if (kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'text', text: '', citations: null };
}

function itemOf(piece: ChatPiece): Item {
  if ('delta' in piece) return { kind: 'text', text: piece.delta, pieces: piece.pieces };
  if ('refusal' in piece) return { kind: 'refusal', text: piece.refusal };
  if ('reasoning' in piece) return { kind: 'thinking', text: piece.reasoning, pieces: piece.pieces };
  if ('reasoningEnd' in piece) return { kind: 'proof', proof: piece.reasoningEnd };
  const { id, name, arguments: text } = piece.toolCall;
  return { kind: 'call', id, name, text };
}
