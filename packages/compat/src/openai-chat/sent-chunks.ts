import { ContentBuilder, contentText, fieldsOf, type JsonFields, listOf, textOf } from '@patchbay/core/provider';
import { resumePoint, type SentStream } from '../forward/sent-stream.ts';
import { isEmpty } from './response-notes.ts';
import { type ChunkHead, ChunkWriter, type StreamOptions, writeChunks } from './write-stream.ts';

/** Members of a delta whose text any model can continue. */
const texts: ReadonlySet<string> = new Set(['role', 'content', 'reasoning_content', 'reasoning', 'reasoning_details']);

/** The chunks of one choice. Another model can continue its text, and reasoning without a proof before it. */
export function sentChunks(options: StreamOptions): SentStream {
  let head: ChunkHead | undefined;
  const said = new ContentBuilder();
  let isTextOnly = true;
  return {
    read(chunk) {
      head = {
        id: textOf(chunk['id']) || head?.id || '',
        model: textOf(chunk['model']) || head?.model || '',
        created: Number(chunk['created'] ?? head?.created ?? 0),
      };
      for (const value of listOf(chunk['choices']) ?? []) {
        const choice = fieldsOf(value) ?? {};
        const delta = fieldsOf(choice['delta']) ?? {};
        said.add('text', textOf(delta['content']) ?? '');
        isTextOnly &&= isEmpty(choice['finish_reason']) && isEmpty(choice['logprobs']) && hasTexts(delta);
      }
    },
    get resumePoint() {
      if (!head || !isTextOnly) return undefined;
      const writer = new ChunkWriter(head, options);
      return resumePoint(
        () => contentText(said.content),
        (events) => writeChunks(writer, events),
      );
    },
  };
}

function hasTexts(delta: JsonFields): boolean {
  for (const name in delta) {
    const value = delta[name];
    if (isEmpty(value)) continue;
    const isText = texts.has(name) && typeof value === 'string';
    if (name === 'reasoning_details' ? !(listOf(value) ?? []).every(isUnproven) : !isText) return false;
  }
  return true;
}

/** Reasoning in the form of OpenRouter that its vendor neither signed nor encrypted. */
function isUnproven(value: unknown): boolean {
  const { signature, data } = fieldsOf(value) ?? {};
  return isEmpty(signature) && isEmpty(data);
}
