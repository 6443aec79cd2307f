import {
  type AssistantPart,
  type ChatDelta,
  fieldsOf,
  type JsonFields,
  readToolArguments,
  readToolCall,
  type ToolCall,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { vendorExtra } from './vendor-members.ts';

interface OpenBlock {
  readonly start: JsonFields;
  /** JSON text of the input. */
  input: string;
  signature: string;
  /** Whether a piece of its reasoning was passed on. */
  hasReasoned: boolean;
}

/** The blocks of a streamed message, each by its index: what their events say, as deltas. */
export class BlockStream {
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #upstream: UpstreamClient;
  /** Warnings about what has no place in a stream of deltas. */
  readonly warnings = new Set<string>();

  constructor(upstream: UpstreamClient) {
    this.#upstream = upstream;
  }

  /** Whether a block is open that is meaningful only as a whole. */
  get hasOpenBlock(): boolean {
    return [...this.#open.values()].some(({ start }) => start['type'] !== 'text');
  }

  read(event: JsonFields): readonly ChatDelta[] {
    const index = event['index'];
    switch (event['type']) {
      case 'content_block_start':
        return this.#start(index, fieldsOf(event['content_block']) ?? {});
      case 'content_block_delta':
        return this.#continue(this.#open.get(index), fieldsOf(event['delta']) ?? {});
      case 'content_block_stop': {
        const block = this.#open.get(index);
        this.#open.delete(index);
        return block ? this.#end(block) : [];
      }
      default:
        return [];
    }
  }

  #start(index: unknown, start: JsonFields): readonly ChatDelta[] {
    this.#open.set(index, { start, input: '', signature: textOf(start['signature']) ?? '', hasReasoned: false });
    if (start['type'] === 'tool_use') return this.#piece(start, '');
    // Mostly empty here.
    const text = textOf(start['text']);
    return start['type'] === 'text' && text ? [{ type: 'text', text }] : [];
  }

  #continue(block: OpenBlock | undefined, delta: JsonFields): readonly ChatDelta[] {
    switch (delta['type']) {
      case 'text_delta': {
        const text = readText(delta['text'], this.#upstream);
        return text === '' ? [] : [{ type: 'text', text }];
      }
      case 'thinking_delta': {
        const text = readText(delta['thinking'], this.#upstream);
        if (text === '') return [];
        if (block) block.hasReasoned = true;
        return [{ type: 'reasoning', text }];
      }
      case 'signature_delta':
        if (block) block.signature += textOf(delta['signature']) ?? '';
        return [];
      case 'input_json_delta': {
        const text = textOf(delta['partial_json']) ?? '';
        if (block) block.input += text;
        return block?.start['type'] === 'tool_use' && text !== '' ? this.#piece(block.start, text) : [];
      }
      case 'citations_delta':
        this.warnings.add(`${this.#upstream.name} streams its citations, which only complete responses have`);
        return [];
      default:
        return [];
    }
  }

  #end({ start, input, signature, hasReasoned }: OpenBlock): readonly ChatDelta[] {
    const type = start['type'];
    if (type === 'text') return [];
    if (type === 'tool_use') {
      const toolCall = readCall(start, input === '' ? start['input'] : input, this.#upstream);
      return [{ type: 'tool-call', toolCall }];
    }
    // An empty piece begins separate reasoning, where the reasoning before it has ended.
    const begin: readonly ChatDelta[] = hasReasoned ? [] : [{ type: 'reasoning', text: '' }];
    if (type === 'thinking') {
      const isEmpty = !hasReasoned && signature === '';
      const end = { ...(signature !== '' && { signature }), ...vendorExtra(start, ['type', 'thinking', 'signature']) };
      return isEmpty ? [] : [...begin, { type: 'reasoning-end', ...end }];
    }
    if (type === 'redacted_thinking') {
      return [...begin, { type: 'reasoning-end', ...readRedacted(start, this.#upstream) }];
    }
    const whole = input === '' ? start : { ...start, input: readToolArguments(input) };
    return [...begin, { type: 'reasoning-end', encrypted: '', ...vendorExtra(whole, []) }];
  }

  #piece(start: JsonFields, text: string): readonly ChatDelta[] {
    const id = textOf(start['id']);
    const name = textOf(start['name']);
    if (!id || !name) throw this.#upstream.badAnswer('has a tool call without id or name', start);
    return [{ type: 'tool-arguments', id, name, text }];
  }
}

/**
 * The part for a block of a message; none for an empty text.
 *
 * Blocks without a counterpart, such as those of Anthropic's own tools, are kept whole as the `extra` of empty reasoning: like
 * reasoning, they mean something to Anthropic alone, and must come back in their place.
 */
export function readBlock(value: unknown, upstream: UpstreamClient): readonly AssistantPart[] {
  const block = fieldsOf(value);
  if (!block) throw upstream.badAnswer('has content that is no block', value);
  switch (block['type']) {
    case 'text': {
      const text = readText(block['text'], upstream);
      const extra = vendorExtra(block, ['type', 'text']);
      return text === '' && !extra.extra ? [] : [{ type: 'text', text, ...extra }];
    }
    case 'tool_use':
      return [{ type: 'tool-call', ...readCall(block, block['input'], upstream) }];
    case 'thinking': {
      const signature = textOf(block['signature']);
      const text = readText(block['thinking'], upstream);
      const extra = vendorExtra(block, ['type', 'thinking', 'signature']);
      return [{ type: 'reasoning', text, ...(signature && { signature }), ...extra }];
    }
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', ...readRedacted(block, upstream) }];
    default:
      // Something hidden, so that it is complete and joins no neighbor.
      return [{ type: 'reasoning', text: '', encrypted: '', ...vendorExtra(block, []) }];
  }
}

/** Reasoning in a form that only Anthropic reads. */
function readRedacted(block: JsonFields, upstream: UpstreamClient) {
  return { encrypted: readText(block['data'], upstream), ...vendorExtra(block, ['type', 'data']) };
}

/** @param input The arguments, as an object or as its JSON text. */
function readCall(block: JsonFields, input: unknown, upstream: UpstreamClient): ToolCall {
  const call = readToolCall({ id: block['id'], name: block['name'], arguments: input ?? {} }, upstream);
  // The model called it itself, which goes without saying.
  const usual = fieldsOf(block['caller'])?.['type'] === 'direct' ? ['caller'] : [];
  return { ...call, ...vendorExtra(block, ['type', 'id', 'name', 'input', ...usual]) };
}

function readText(value: unknown, { badAnswer }: UpstreamClient): string {
  const text = textOf(value);
  if (text === undefined) throw badAnswer('has a text that is none', value);
  return text;
}
