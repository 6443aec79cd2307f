import {
  type FinishReason,
  fieldsOf,
  type JsonFields,
  listOf,
  readTokenCount,
  textOf,
  type Usage,
} from '@patchbay/core/provider';
import { reasoningDigest } from '../forward/digest.ts';
import { badResponse, noOutcome, type ResponseNotes, textBytes } from '../forward/response-reader.ts';
import { priceFactor } from './price-factor.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
};

/** Blocks that begin before their content. */
const openBlocks: ReadonlySet<string> = new Set(['text', 'thinking']);

const joins = {
  growing: new Set(['/delta/text', '/delta/thinking', '/delta/partial_json']),
  beside: new Set(['type']),
  replaced: new Set(),
} satisfies ResponseNotes['joins'];

const messageStop = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n');

/** The facts of a message, whole or in events. */
export function messageNotes(): ResponseNotes {
  const found = noOutcome();
  const signatures = new Map<number, string>();
  let usage: JsonFields = {};
  let hasOutput = false;
  let isComplete = false;
  let isStopped = false;

  const readHead = (message: JsonFields): void => {
    found.model ??= textOf(message['model']);
    readContainer(message);
    readUsage(message);
  };
  const readUsage = (holder: JsonFields): void => {
    const counts = Object.entries(fieldsOf(holder['usage']) ?? {}).filter(([, value]) => value !== null);
    usage = { ...usage, ...Object.fromEntries(counts) };
    found.usage = usageOf(usage);
    if ('speed' in usage || 'inference_geo' in usage) found.priceFactor = priceFactor(usage);
  };
  const readContainer = (holder: JsonFields): void => {
    const id = textOf(fieldsOf(holder['container'])?.['id']);
    if (id !== undefined) keep(id);
  };
  const keep = (id: string): void => {
    if (!found.ownIds.includes(id)) found.ownIds = [...found.ownIds, id];
  };
  const readBlock = (index: number, block: JsonFields): void => {
    found.outputBytes += textBytes([block['text'], block['thinking'], block['input'], block['content']]);
    addSignature(index, textOf(block['signature']) ?? textOf(block['data']));
    for (const id of fileIds(block)) keep(id);
  };
  const addSignature = (index: number, text = ''): void => {
    if (text !== '') signatures.set(index, (signatures.get(index) ?? '') + text);
  };

  const events: Readonly<Record<string, (event: JsonFields) => void>> = {
    message_start: (event) => readHead(fieldsOf(event['message']) ?? {}),
    content_block_start(event) {
      const block = fieldsOf(event['content_block']) ?? {};
      readBlock(Number(event['index']), block);
      if (!openBlocks.has(textOf(block['type']) ?? '')) hasOutput = true;
    },
    content_block_delta(event) {
      const { type: _, signature, ...delta } = fieldsOf(event['delta']) ?? {};
      found.outputBytes += textBytes(delta);
      addSignature(Number(event['index']), textOf(signature));
      hasOutput = true;
    },
    message_delta(event) {
      const delta = fieldsOf(event['delta']) ?? {};
      readContainer(delta);
      readUsage(event);
      const reason = textOf(delta['stop_reason']);
      found.finishReason = finishReasons[reason ?? ''] ?? found.finishReason;
      isComplete ||= reason !== undefined;
      hasOutput = true;
    },
    message_stop() {
      isComplete = true;
      isStopped = true;
    },
    message(message) {
      readHead(message);
      for (const [index, block] of (listOf(message['content']) ?? []).entries())
        readBlock(index, fieldsOf(block) ?? {});
      const reason = textOf(message['stop_reason']);
      found.finishReason = finishReasons[reason ?? ''] ?? 'stop';
      isComplete = reason !== undefined && listOf(message['content']) !== undefined;
    },
  };

  return {
    get found() {
      return { ...found, ownIds: [...found.ownIds, ...[...signatures.values()].map(reasoningDigest)] };
    },
    get hasOutput() {
      return hasOutput;
    },
    get isComplete() {
      return isComplete;
    },
    get missingEnd() {
      return isComplete && !isStopped ? messageStop : undefined;
    },
    joins,
    read(document) {
      const type = textOf(document['type']) ?? '';
      if (Object.hasOwn(events, type)) events[type]?.(document);
    },
  };
}

/** Anthropic's counts do not overlap. Undefined if it does not report them. */
function usageOf(usage: JsonFields): Usage | undefined {
  const count = (name: string) => readTokenCount(usage[name], badResponse);
  const input = count('input_tokens');
  const output = count('output_tokens');
  if (input === undefined || output === undefined) return undefined;
  const thinking = fieldsOf(usage['output_tokens_details'])?.['thinking_tokens'];
  return {
    uncachedInputTokens: input,
    cacheReadTokens: count('cache_read_input_tokens') ?? 0,
    cacheWriteTokens: count('cache_creation_input_tokens') ?? 0,
    outputTokens: output,
    reasoningTokens: Math.min(output, readTokenCount(thinking, badResponse) ?? 0),
  };
}

/** Ids of files that code at Anthropic made. */
function fileIds(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'file_id' && typeof member === 'string' ? [member] : fileIds(member),
  );
}
