import {
  type ChatRequest,
  type ChatResult,
  completeChat,
  type JsonFields,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { finishReasonOf, readCandidate } from './candidate.ts';
import { readUsage } from './read-usage.ts';

/** Reads a response. What is none is a failure, never an answer. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const candidate = readCandidate(document, upstream);
  if (candidate?.finishReason === undefined) throw upstream.badAnswer('has no finished candidate', document);
  const { text: content, toolCalls } = candidate;
  const finishReason = finishReasonOf(candidate.finishReason, toolCalls, upstream);
  const saidSomething = content !== '' || toolCalls.length > 0;
  const usage = readUsage(document['usageMetadata'], saidSomething, upstream);
  const model = textOf(document['modelVersion']);
  return completeChat({ content, toolCalls, finishReason, usage, model }, request, warnings, upstream);
}
