import {
  type AssistantContent,
  type AssistantPart,
  type ChatRequest,
  type ChatResult,
  ContentBuilder,
  fieldsOf,
  finishDelta,
  type JsonFields,
  listOf,
  type StreamReader,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { BlockStream } from './block-stream.ts';
import { readBlock } from './read-block.ts';
import { readMessage } from './read-message.ts';

/** Parses a message. An invalid one is a failure, never a result. */
export function readChat(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const blocks = listOf(document['content']);
  const isFinished = textOf(document['stop_reason']) !== undefined;
  if (!blocks || !isFinished) throw upstream.badAnswer('has no finished content', document);
  const parts = blocks.flatMap((block) => readBlock(block, upstream));
  return readMessage(document, contentOf(parts), request, warnings, upstream);
}

/** A single text becomes a string. */
function contentOf(parts: readonly AssistantPart[]): AssistantContent {
  const [only, more] = parts;
  if (only === undefined) return '';
  return only.type === 'text' && more === undefined && !only.extra ? only.text : parts;
}

const joins = {
  growing: new Set(['/delta/text', '/delta/thinking']),
  beside: new Set(['type']),
  replaced: new Set(),
} satisfies StreamReader['joins'];

/** Reads a streamed message. One without a stop reason has failed; `message_stop` may be missing. */
export function chatReader(request: ChatRequest, warnings: readonly string[], upstream: UpstreamClient): StreamReader {
  const blocks = new BlockStream(upstream);
  const built = new ContentBuilder();
  let message: JsonFields = {};

  return {
    joins,
    read({ data = {} }, deltas) {
      if (data['type'] === 'error') throw upstream.streamError(data);
      if (data['type'] === 'message_start') message = fieldsOf(data['message']) ?? {};
      if (data['type'] === 'message_delta') {
        // The counts at the end are totals; those that it leaves out stay as they were at the beginning.
        const usage = { ...fieldsOf(message['usage']), ...saidBy(data['usage']) };
        const counts = Object.keys(usage).length > 0 ? { usage } : {};
        message = { ...message, ...saidBy(data['delta']), ...counts };
      }
      if (data['type'] === 'message_stop') return true;
      for (const delta of blocks.read(data)) {
        built.take(delta);
        deltas.push(delta);
      }
      return false;
    },
    end(deltas) {
      const isFinished = textOf(message['stop_reason']) !== undefined;
      if (!isFinished || blocks.hasOpenBlock) throw upstream.badAnswer('ends before it is finished');
      const adapted = [...warnings, ...blocks.warnings];
      deltas.push(finishDelta(readMessage(message, built.content, request, adapted, upstream)));
    },
  };
}

/** The members that are not null. */
function saidBy(value: unknown): JsonFields {
  return Object.fromEntries(Object.entries(fieldsOf(value) ?? {}).filter(([, said]) => said !== null));
}
