import {
  type Extra,
  type FinishReason,
  fieldsOf,
  type JsonFields,
  listOf,
  readToolCall,
  readUsage,
  type TokenCounts,
  type ToolCall,
  textOf,
  type UpstreamClient,
  type Usage,
} from '@patchbay/core/provider';
import { finishReason } from '../chat-response.ts';
import { asExtra } from '../extra.ts';

/** A call, without the members that only mark it as complete. */
export function readCall(item: JsonFields, upstream: UpstreamClient): ToolCall {
  const { type: _, id: __, status: ___, call_id: id, name, arguments: values, ...others } = item;
  return { ...readToolCall({ id, name, arguments: values }, upstream), ...asExtra('openai-responses', others) };
}

/** The texts of a message in their order. */
export function* spokenParts(
  item: JsonFields,
  { badAnswer }: UpstreamClient,
): Generator<{ readonly type: 'text' | 'refusal'; readonly text: string }> {
  const parts = listOf(item['content']);
  if (!parts) throw badAnswer('has a message without content', item);
  for (const part of parts.map((each) => fieldsOf(each) ?? {})) {
    const isRefusal = part['type'] === 'refusal';
    if (!isRefusal && part['type'] !== 'output_text') continue;
    const text = textOf(part[isRefusal ? 'refusal' : 'text']);
    if (text === undefined) throw badAnswer('has a text that is not a string', item);
    yield { type: isRefusal ? 'refusal' : 'text', text };
  }
}

/** The references of the texts of a message. */
export function annotationsOf(item: JsonFields): readonly unknown[] {
  return (listOf(item['content']) ?? []).flatMap((part) => listOf(fieldsOf(part)?.['annotations']) ?? []);
}

export interface ReadReasoning {
  readonly text: string;
  /** The other members that are needed to send the item back unchanged. Absent for an item that holds nothing. */
  readonly proof?: { readonly encrypted?: string; readonly extra?: Extra };
}

/** Reasoning is shown as its own text if the model shows it, and otherwise as a summary of it. */
export function readReasoning(item: JsonFields): ReadReasoning {
  const { type: _, encrypted_content: sealed, summary, ...others } = item;
  const encrypted = textOf(sealed);
  const content = textsOf(item['content']);
  const text = (content.length > 0 ? content : textsOf(summary)).join(BETWEEN);
  if (text === '' && encrypted === undefined) return { text };
  const isRebuilt = content.length === 0 && isSummary(summary, text);
  const members = { ...others, ...(isRebuilt ? {} : { summary: summary ?? [] }) };
  const extra = asExtra('openai-responses', members);
  return { text, proof: { ...(encrypted !== undefined && { encrypted }), ...extra } };
}

/** Stands between two parts of reasoning. */
export const BETWEEN = '\n\n';

const textsOf = (value: unknown): readonly string[] =>
  (listOf(value) ?? []).map((part) => textOf(fieldsOf(part)?.['text']) ?? '');

/** Whether the summary is what `reasoningItem` makes of the text. */
function isSummary(summary: unknown, text: string): boolean {
  const parts = listOf(summary) ?? [];
  const [only] = parts.map((part) => Object.keys(fieldsOf(part) ?? {}));
  return text === '' ? parts.length === 0 : parts.length === 1 && only?.length === 2;
}

/** The end of a response: its reason and its usage. */
export function readEnd(
  document: JsonFields,
  refused: boolean,
  hasCalls: boolean,
  upstream: UpstreamClient,
): { readonly finishReason: FinishReason; readonly usage: Usage | undefined; readonly model: string | undefined } {
  const status = textOf(document['status']);
  if (status === 'failed') throw upstream.streamError(document);
  const reason = textOf(fieldsOf(document['incomplete_details'])?.['reason']);
  if (status !== 'completed' && !(status === 'incomplete' && reason))
    throw upstream.badAnswer('is not finished', document);
  const usage = readUsage(countsOf(document), upstream);
  const said = refused ? 'content_filter' : reason === 'max_output_tokens' ? 'length' : (reason ?? 'stop');
  return { finishReason: finishReason(said, hasCalls), usage, model: textOf(document['model']) };
}

function countsOf(document: JsonFields): TokenCounts {
  const usage = fieldsOf(document['usage']);
  const question = fieldsOf(usage?.['input_tokens_details']);
  return {
    input: usage?.['input_tokens'],
    output: usage?.['output_tokens'],
    cacheRead: question?.['cached_tokens'],
    cacheWrite: question?.['cache_write_tokens'],
    reasoning: fieldsOf(usage?.['output_tokens_details'])?.['reasoning_tokens'],
    total: usage?.['total_tokens'],
  };
}
