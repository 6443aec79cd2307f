import {
  type AssistantPart,
  fieldsOf,
  type JsonFields,
  readToolCall,
  type ToolCall,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { vendorExtra } from './vendor-members.ts';

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
export function readRedacted(block: JsonFields, upstream: UpstreamClient) {
  return { encrypted: readText(block['data'], upstream), ...vendorExtra(block, ['type', 'data']) };
}

/** @param input The arguments, as an object or as its JSON text. */
export function readCall(block: JsonFields, input: unknown, upstream: UpstreamClient): ToolCall {
  const call = readToolCall({ id: block['id'], name: block['name'], arguments: input ?? {} }, upstream);
  // The model called it itself, which goes without saying.
  const usual = fieldsOf(block['caller'])?.['type'] === 'direct' ? ['caller'] : [];
  return { ...call, ...vendorExtra(block, ['type', 'id', 'name', 'input', ...usual]) };
}

export function readText(value: unknown, { badAnswer }: UpstreamClient): string {
  const text = textOf(value);
  if (text === undefined) throw badAnswer('has a text that is none', value);
  return text;
}
