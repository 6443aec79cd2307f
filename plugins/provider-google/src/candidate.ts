import { PatchbayError } from '@patchbay/core/plugin';
import {
  type FinishReason,
  fieldsOf,
  type JsonFields,
  listOf,
  providerError,
  readToolArguments,
  type ToolCall,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { packToolCallId } from './tool-call-id.ts';

/** What one response, or one piece of a stream, says. */
export interface Candidate {
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
export function readCandidate(document: JsonFields, upstream: UpstreamClient): Candidate | undefined {
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
    if (part['functionCall'] !== undefined) toolCalls.push(readToolCall(part, upstream));
  }
  return { text, toolCalls, finishReason };
}

function readToolCall(part: JsonFields, { badAnswer }: UpstreamClient): ToolCall {
  const call = fieldsOf(part['functionCall']);
  const name = textOf(call?.['name']);
  if (!name) throw badAnswer('has a tool call without name', part);
  const id = packToolCallId(textOf(call?.['id']), textOf(part['thoughtSignature']));
  return { id, name, arguments: readToolArguments(call?.['args'] ?? {}) };
}

/** @throws PatchbayError where the reason means that there is no answer. */
export function finishReasonOf(
  reason: string,
  toolCalls: readonly ToolCall[],
  { badAnswer }: UpstreamClient,
): FinishReason {
  if (filtered.has(reason)) return 'content-filter';
  if (reason === 'MAX_TOKENS') return 'length';
  if (reason === 'MALFORMED_FUNCTION_CALL') {
    throw new PatchbayError('function_call_invalid', 'the model called a function in a way that cannot be read');
  }
  // `OTHER` and the like: something went wrong that a part of an answer cannot make good.
  if (reason !== 'STOP') throw badAnswer(`ended with ${JSON.stringify(reason.slice(0, 40))}`);
  return toolCalls.length > 0 ? 'tool-calls' : 'stop';
}
