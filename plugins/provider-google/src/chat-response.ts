import { PatchbayError } from '@patchbay/core/plugin';
import {
  type AssistantPart,
  type ChatDelta,
  type ChatRequest,
  type ChatResult,
  ContentBuilder,
  completeChat,
  definedMembers,
  type FinishReason,
  fieldsOf,
  finishDelta,
  type JsonFields,
  listOf,
  partsOf,
  providerError,
  type ReasoningPart,
  readTokenCount,
  readToolCall,
  type StreamReader,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type Usage,
} from '@patchbay/core/provider';
import { packToolCallId } from './tool-call-id.ts';
import { vendorExtra } from './vendor-members.ts';

/** Parses a response. An invalid one is a failure, never a result. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const candidate = readCandidate(document, upstream);
  if (candidate?.finishReason === undefined) throw upstream.badAnswer('has no finished candidate', document);
  const { parts } = candidate;
  const finishReason = finishReasonOf(candidate.finishReason, parts, upstream);
  const saidSomething = parts.some(({ type }) => type !== 'reasoning');
  const usage = readUsage(document['usageMetadata'], saidSomething, upstream);
  const model = textOf(document['modelVersion']);
  const [only, more] = parts;
  const isPlain = only?.type === 'text' && more === undefined && !only.extra;
  const content = only === undefined ? '' : isPlain ? only.text : parts;
  const extra = vendorExtra(candidate.members);
  return completeChat({ content, finishReason, usage, model, ...extra }, request, warnings, upstream);
}

const counts = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'];
const joins = {
  growing: new Set(['/candidates/0/content/parts/0/text']),
  beside: new Set(['thought']),
  replaced: new Set(counts.map((name) => `/usageMetadata/${name}`)),
} satisfies StreamReader['joins'];

/** Reads a streamed response. One that ends without a finish reason has failed. */
export function chatReader(request: ChatRequest, warnings: readonly string[], upstream: UpstreamClient): StreamReader {
  const built = new ContentBuilder();
  let members: JsonFields = {};
  let reason: string | undefined;
  let usage: unknown;
  let model: string | undefined;
  /** Whether what comes before is reasoning that can go on. */
  let isOpen = false;

  return {
    joins,
    read({ data = {} }, deltas) {
      if (data['error']) throw upstream.streamError(data);
      usage = data['usageMetadata'] ?? usage;
      model ??= textOf(data['modelVersion']);
      const candidate = readCandidate(data, upstream);
      if (!candidate) return false;
      reason = candidate.finishReason ?? reason;
      members = { ...members, ...candidate.members };
      for (const part of candidate.parts) {
        for (const delta of deltasOf(part, isOpen)) {
          built.take(delta);
          deltas.push(delta);
        }
        isOpen = part.type === 'reasoning' && !isComplete(part);
      }
      return false;
    },
    end(deltas) {
      if (reason === undefined) throw upstream.badAnswer('ends before it is finished');
      const { content } = built;
      const parts = partsOf<AssistantPart>(content);
      const saidSomething = parts.some(({ type }) => type !== 'reasoning');
      const end = {
        ...vendorExtra(members),
        finishReason: finishReasonOf(reason, parts, upstream),
        usage: readUsage(usage, saidSomething, upstream),
        model,
      };
      deltas.push(finishDelta(completeChat({ content, ...end }, request, warnings, upstream)));
    },
  };
}

/** The content of one response, or of one piece of a stream. */
interface Candidate {
  readonly parts: readonly AssistantPart[];
  /** Members without a counterpart in the result. */
  readonly members: JsonFields;
  readonly finishReason: string | undefined;
}

/** The API's reasons for a response that was stopped because of its content. */
const filtered: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** Its reasons for an unusable call. */
const badCalls: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
]);

/** @throws PatchbayError `content_filtered` if the prompt was refused. */
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
  const { content: _, finishReason: __, index: ___, ...members } = candidate;
  return { parts: parts.flatMap((part) => readPart(part, upstream)), members, finishReason };
}

/** A part without a counterpart is kept whole as the `extra` of empty reasoning: it means something to Gemini alone. */
function readPart(value: unknown, upstream: UpstreamClient): readonly AssistantPart[] {
  const part = fieldsOf(value);
  if (!part) throw upstream.badAnswer('has content that is no part', value);
  if (part['functionCall'] !== undefined) return [{ type: 'tool-call', ...readCall(part, upstream) }];
  const { text, thought, thoughtSignature, ...members } = part;
  if (text === undefined) return [{ type: 'reasoning', text: '', ...vendorExtra(part) }];
  if (typeof text !== 'string') throw upstream.badAnswer('has a text that is none', part);
  const signature = textOf(thoughtSignature);
  if (thought === true) return [{ type: 'reasoning', text, ...definedMembers({ signature }), ...vendorExtra(members) }];
  if (signature === undefined) return text === '' ? [] : [{ type: 'text', text }];
  // The signature of a text is a separate part, so that streams can carry it.
  const said: readonly AssistantPart[] = text === '' ? [] : [{ type: 'text', text }];
  return [...said, { type: 'reasoning', text: '', signature, ...vendorExtra({ thought: false }) }];
}

function readCall(part: JsonFields, upstream: UpstreamClient): ToolCall {
  const { functionCall, ...members } = part;
  const call = fieldsOf(functionCall);
  const id = packToolCallId(textOf(call?.['id']), textOf(members['thoughtSignature']));
  const read = readToolCall({ id, name: call?.['name'], arguments: call?.['args'] ?? {} }, upstream);
  return { ...read, ...vendorExtra(members) };
}

const isComplete = ({ signature, extra }: ReasoningPart): boolean => signature !== undefined || extra !== undefined;

/** @param isOpen Whether reasoning comes before it that it could be mistaken for a part of. */
function deltasOf(part: AssistantPart, isOpen: boolean): readonly ChatDelta[] {
  if (part.type === 'tool-call') {
    const { type, ...toolCall } = part;
    return [{ type, toolCall }];
  }
  const { type, text } = part;
  if (type !== 'reasoning' || !isComplete(part)) return [{ type, text }];
  const { signature, extra } = part;
  // A part without text does not end the text before it.
  const end = text === '' && isOpen ? [{ type: 'reasoning-end' as const }] : [];
  return [...end, { type, text }, { type: 'reasoning-end', ...definedMembers({ signature, extra }) }];
}

/** @throws PatchbayError where the reason means that there is no answer. */
function finishReasonOf(reason: string, parts: readonly AssistantPart[], { badAnswer }: UpstreamClient): FinishReason {
  if (filtered.has(reason)) return 'content-filter';
  if (reason === 'MAX_TOKENS') return 'length';
  if (badCalls.has(reason)) {
    throw new PatchbayError('function_call_invalid', 'the model called a function in a way that cannot be read');
  }
  // `OTHER` and the like: something went wrong, so a partial response is of no use.
  if (reason !== 'STOP') throw badAnswer(`ended with ${JSON.stringify(reason.slice(0, 40))}`);
  return parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
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
