import type Anthropic from '@anthropic-ai/sdk';
import { type AssistantPart, partsOf, type ReasoningPart } from '@patchbay/core/provider';
import type { ChatAnswer } from '../gateway-types.ts';
import { writeProof } from './reasoning-proof.ts';
import { packToolId } from './tool-ids.ts';

type MessageHead = Pick<ChatAnswer, 'id' | 'model'>;

/** The body of a response of `POST /v1/messages`. */
export function serializeMessage(answer: ChatAnswer): Anthropic.Message {
  const empty = emptyMessage(answer);
  const parts = answer.message.parts ?? partsOf<AssistantPart>(answer.message.content);
  return {
    ...empty,
    content: parts.filter(isSaid).map((part) => contentBlock(part, answer.model)),
    ...endOf(answer),
    usage: { ...empty.usage, ...countsOf(answer) },
  };
}

/** Anthropic refuses empty texts when the message is sent back. */
function isSaid(part: AssistantPart): boolean {
  return !((part.type === 'text' || part.type === 'refusal') && part.text === '');
}

/** A message before its first block. */
export function emptyMessage({ id, model }: MessageHead): Anthropic.Message {
  return {
    id: messageId(id),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: null,
      inference_geo: null,
      speed: null,
    },
  };
}

/** The id of the response, as in logs and the ledger, with the prefix of this API. */
function messageId(id: string): string {
  return `msg_${id.slice(id.lastIndexOf('_') + 1)}`;
}

export function contentBlock(part: AssistantPart, model: string): Anthropic.ContentBlock {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: part.text, citations: null };
    case 'reasoning':
      return reasoningBlock({ by: model, ...part });
    case 'tool-call':
      return {
        type: 'tool_use',
        id: packToolId(part.id),
        name: part.name,
        input: part.arguments,
        caller: { type: 'direct' },
      };
  }
}

/** Reasoning without text that its vendor encrypted is redacted; what can be read is thinking, its proof the signature. */
function reasoningBlock(part: ReasoningPart): Anthropic.ThinkingBlock | Anthropic.RedactedThinkingBlock {
  const proof = writeProof(part);
  if (part.text === '' && part.encrypted !== undefined) return { type: 'redacted_thinking', data: proof };
  return { type: 'thinking', thinking: part.text, signature: proof };
}

type End = Pick<Anthropic.Message, 'stop_reason' | 'stop_sequence' | 'stop_details'>;

/**
 * Why the message ended. Vendors do not say which stop sequence they met, so that is `end_turn`. A refusal in the words of
 * the model is its text and `refusal`.
 */
export function endOf({ message, finishReason }: Pick<ChatAnswer, 'message' | 'finishReason'>): End {
  const refusals = (message.parts ?? []).flatMap((part) => (part.type === 'refusal' ? [part.text] : []));
  const isRefused = refusals.length > 0 || finishReason === 'content-filter';
  const explanation = refusals.length > 0 ? refusals.join('') : null;
  return {
    stop_reason: isRefused ? 'refusal' : stopReason(message, finishReason),
    stop_sequence: null,
    stop_details: isRefused ? { type: 'refusal', category: null, explanation } : null,
  };
}

function stopReason(
  { parts = [] }: ChatAnswer['message'],
  finishReason: ChatAnswer['finishReason'],
): Anthropic.StopReason {
  if (finishReason === 'length') return 'max_tokens';
  return finishReason === 'tool-calls' || parts.some(({ type }) => type === 'tool-call') ? 'tool_use' : 'end_turn';
}

/** Here, tokens of the cache are not part of the input. */
export function countsOf({ usage }: Pick<ChatAnswer, 'usage'>) {
  return {
    input_tokens: usage.uncachedInputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  };
}
