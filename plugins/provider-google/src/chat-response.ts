import { PatchbayError } from '@patchbay/core/plugin';
import {
  type ChatDelta,
  type ChatRequest,
  type ChatResult,
  completeChat,
  type FinishReason,
  fieldsOf,
  finishDelta,
  type JsonFields,
  listOf,
  providerError,
  readTokenCount,
  readToolCall,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type UpstreamEvent,
  type Usage,
} from '@patchbay/core/provider';
import { packToolCallId } from './tool-call-id.ts';

/** Parses a response. An invalid one is a failure, never a result. */
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

/** Reads a streamed response. One that ends without a finish reason has failed. */
export async function* readChatStream(
  events: AsyncIterable<UpstreamEvent>,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): AsyncGenerator<ChatDelta> {
  const toolCalls: ToolCall[] = [];
  let content = '';
  let reason: string | undefined;
  let usage: unknown;
  let model: string | undefined;

  for await (const { data = {} } of events) {
    if (data['error']) throw upstream.streamError(data);
    usage = data['usageMetadata'] ?? usage;
    model ??= textOf(data['modelVersion']);
    const candidate = readCandidate(data, upstream);
    if (!candidate) continue;
    reason = candidate.finishReason ?? reason;
    content += candidate.text;
    if (candidate.text !== '') yield { type: 'text', text: candidate.text };
    for (const toolCall of candidate.toolCalls) {
      toolCalls.push(toolCall);
      yield { type: 'tool-call', toolCall };
    }
  }
  if (reason === undefined) throw upstream.badAnswer('ends before it is finished');
  const saidSomething = content !== '' || toolCalls.length > 0;
  const end = {
    finishReason: finishReasonOf(reason, toolCalls, upstream),
    usage: readUsage(usage, saidSomething, upstream),
    model,
  };
  yield finishDelta(completeChat({ content, toolCalls, ...end }, request, warnings, upstream));
}

/** The content of one response, or of one piece of a stream. */
interface Candidate {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string | undefined;
}

/** The API's reasons for an answer that was stopped because of its content. */
const filtered: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
]);

/** @throws PatchbayError `content_filtered` where the question was refused. */
function readCandidate(document: JsonFields, upstream: UpstreamClient): Candidate | undefined {
  const { badAnswer, name } = upstream;
  const candidate = fieldsOf(listOf(document['candidates'])?.[0]);
  if (!candidate) {
    const refused = textOf(fieldsOf(document['promptFeedback'])?.['blockReason']);
    if (refused) throw providerError('content_filter', `${name} refused the content`);
    return undefined;
  }
  const finishReason = textOf(candidate['finishReason']);
  const content = fieldsOf(candidate['content']) ?? {};
  const parts = listOf(content['parts'] ?? []);
  if (!parts) throw badAnswer('has content that is no list', document);
  let text = '';
  const toolCalls: ToolCall[] = [];
  for (const value of parts) {
    const part = fieldsOf(value);
    if (!part) throw badAnswer('has content that is no part', document);
    if (part['text'] !== undefined && typeof part['text'] !== 'string')
      throw badAnswer('has a text that is none', part);
    if (part['thought'] !== true) text += textOf(part['text']) ?? '';
    if (part['functionCall'] !== undefined) toolCalls.push(readCall(part, upstream));
  }
  return { text, toolCalls, finishReason };
}

function readCall(part: JsonFields, upstream: UpstreamClient): ToolCall {
  const call = fieldsOf(part['functionCall']);
  const id = packToolCallId(textOf(call?.['id']), textOf(part['thoughtSignature']));
  return readToolCall({ id, name: call?.['name'], arguments: call?.['args'] ?? {} }, upstream);
}

/** @throws PatchbayError where the reason means that there is no answer. */
function finishReasonOf(reason: string, toolCalls: readonly ToolCall[], { badAnswer }: UpstreamClient): FinishReason {
  if (filtered.has(reason)) return 'content-filter';
  if (reason === 'MAX_TOKENS') return 'length';
  if (reason === 'MALFORMED_FUNCTION_CALL') {
    throw new PatchbayError('function_call_invalid', 'the model called a function in a way that cannot be read');
  }
  // `OTHER` and the like: something went wrong that a part of an answer cannot make good.
  if (reason !== 'STOP') throw badAnswer(`ended with ${JSON.stringify(reason.slice(0, 40))}`);
  return toolCalls.length > 0 ? 'tool-calls' : 'stop';
}

/**
 * The counts in disjoint buckets: Gemini counts cached tokens among those of the prompt, and thoughts beside those of
 * the answer. A count of nothing is left out of its JSON. Undefined where it does not say.
 */
function readUsage(value: unknown, saidSomething: boolean, { badAnswer }: UpstreamClient): Usage | undefined {
  const usage = fieldsOf(value);
  const count = (name: string) => readTokenCount(usage?.[name], badAnswer);
  const prompt = count('promptTokenCount');
  const answer = count('candidatesTokenCount');
  const thoughts = count('thoughtsTokenCount');
  const cached = count('cachedContentTokenCount') ?? 0;
  const ofTools = count('toolUsePromptTokenCount') ?? 0;
  if (prompt === undefined || (saidSomething && answer === undefined)) return undefined;
  if (cached > prompt) throw badAnswer('counts more tokens in a part than in the whole');
  return {
    uncachedInputTokens: prompt - cached + ofTools,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: (answer ?? 0) + (thoughts ?? 0),
    reasoningTokens: thoughts ?? 0,
  };
}
