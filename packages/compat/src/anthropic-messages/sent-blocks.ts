import { fieldsOf, type JsonFields, listOf, textOf } from '@patchbay/core/provider';
import { resumePoint, type SentStream } from '../forward/sent-stream.ts';
import { type BegunBlocks, BlockWriter } from './block-writer.ts';
import { writeBlocks } from './write-stream.ts';

/** The events of one message. Another model can continue its texts, and thinking without a signature before them. */
export function sentBlocks(): SentStream {
  let model: string | undefined;
  let begun: BegunBlocks = { index: 0, open: undefined };
  let text = '';
  let isTextOnly = true;

  /** For each block, whether it contains only text, or thinking without a signature. */
  const events: Readonly<Record<string, (event: JsonFields) => boolean>> = {
    ping: () => true,
    message_start(event) {
      model = textOf(fieldsOf(event['message'])?.['model']) ?? '';
      return true;
    },
    content_block_start(event) {
      const { type, text: start, citations, signature } = fieldsOf(event['content_block']) ?? {};
      if (type !== 'text' && type !== 'thinking') return false;
      begun = { index: Number(event['index']), open: type };
      if (type === 'text') text += textOf(start) ?? '';
      return (listOf(citations) ?? []).length === 0 && !signature;
    },
    content_block_delta(event) {
      const { type, text: delta, signature } = fieldsOf(event['delta']) ?? {};
      if (type === 'text_delta') text += textOf(delta) ?? '';
      return type === 'text_delta' || type === 'thinking_delta' || (type === 'signature_delta' && !signature);
    },
    content_block_stop(event) {
      begun = { index: Number(event['index']) + 1, open: undefined };
      return true;
    },
  };

  return {
    read(document) {
      const type = textOf(document['type']) ?? '';
      const event = Object.hasOwn(events, type) ? events[type] : undefined;
      isTextOnly = event?.(document) === true && isTextOnly;
    },
    get resumePoint() {
      if (model === undefined || !isTextOnly) return undefined;
      const blocks = new BlockWriter(model, begun);
      return resumePoint(
        () => text,
        (pieces) => writeBlocks(blocks, pieces),
      );
    },
  };
}
