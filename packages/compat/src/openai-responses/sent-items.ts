import type { JsonObject } from '@patchbay/core/plugin';
import { fieldsOf, type JsonFields, listOf, textOf } from '@patchbay/core/provider';
import { resumePoint, type SentStream } from '../forward/sent-stream.ts';
import { ItemWriter } from './item-writer.ts';
import { callNames } from './namespaces.ts';
import type { OpenMessage, OpenReasoning } from './open-items.ts';
import type { MessageContent, OutputItem } from './output-items.ts';
import { numberedFrom, type StreamOptions, writeItems } from './write-stream.ts';

/** The events of one response. Another model can continue its texts, and reasoning before them that was not encrypted. */
export function sentItems({ withProofs, ...options }: Omit<StreamOptions, 'echo' | 'names'>): SentStream {
  const complete: OutputItem[] = [];
  let response: JsonFields | undefined;
  let open: OpenMessage | OpenReasoning | undefined;
  let [text, sequence] = ['', 0];
  /** Any model can continue what was sent. */
  let isTextOnly = true;
  /** The open item contains something that only its own vendor can complete. */
  let isForeign = false;

  /** For each item, whether it contains only text, or reasoning without a proof. */
  const events: Readonly<Record<string, (event: JsonFields) => boolean>> = {
    'response.created'(event) {
      response = fieldsOf(event['response']);
      return true;
    },
    'response.output_item.added'(event) {
      const item = fieldsOf(event['item']) ?? {};
      open = openItem(item, complete.length);
      return open?.kind === 'message' || isUnproven(item);
    },
    'response.output_item.done'(event) {
      const item = fieldsOf(event['item']) ?? {};
      complete.push(item as unknown as OutputItem);
      open = undefined;
      isForeign = false;
      return item['type'] === 'message' || isUnproven(item);
    },
    'response.content_part.added'(event) {
      const { type } = fieldsOf(event['part']) ?? {};
      if (open?.kind === 'message') open = { ...open, part: 'output_text', text: '' };
      else isForeign = true;
      return type === 'output_text' || type === 'reasoning_text';
    },
    'response.content_part.done'(event) {
      const part = fieldsOf(event['part']) ?? {};
      const content = part as unknown as MessageContent;
      if (open?.kind === 'message') open = { ...open, content: [...open.content, content], part: undefined, text: '' };
      return isBare(part);
    },
    'response.output_text.delta'(event) {
      const delta = textOf(event['delta']) ?? '';
      text += delta;
      if (open?.kind === 'message') open = { ...open, text: open.text + delta };
      return isBare(event);
    },
    'response.output_text.done': isBare,
    'response.reasoning_summary_part.added'() {
      if (open?.kind === 'reasoning') open = { ...open, text: '' };
      return true;
    },
    'response.reasoning_summary_text.delta'(event) {
      if (open?.kind === 'reasoning') open = { ...open, text: (open.text ?? '') + (textOf(event['delta']) ?? '') };
      return true;
    },
    'response.reasoning_summary_part.done'(event) {
      const part = event['part'] as OpenReasoning['content'][number];
      if (open?.kind === 'reasoning') open = { ...open, content: [...open.content, part], text: undefined };
      return true;
    },
  };

  return {
    read(document) {
      const type = textOf(document['type']) ?? '';
      const event = Object.hasOwn(events, type) ? events[type] : undefined;
      isTextOnly = (event?.(document) ?? others.test(type)) && isTextOnly;
      sequence = Number(document['sequence_number'] ?? sequence) + 1;
    },
    get resumePoint() {
      if (!response || isForeign || !isTextOnly) return undefined;
      const begun = response;
      const head = { id: textOf(begun['id']) ?? '', model: textOf(begun['model']) ?? '' };
      const names = callNames(begun['tools']);
      const items = new ItemWriter(head, { withProofs, names }, { complete, open });
      // Its vendor stores no response that it has not completed.
      const ended = (outcome: object) => ({ ...begun, store: false, ...outcome }) as JsonObject;
      const numbered = numberedFrom(sequence);
      return resumePoint(
        () => text,
        (pieces) => writeItems({ ...options, items, numbered, ended }, pieces),
      );
    },
  };
}

/** Events that add nothing to the response, or to reasoning in a form that is not continued. */
const others = /^(keepalive|response\.(queued|in_progress|reasoning_summary_text\.done|reasoning_text\.(delta|done)))$/;

function openItem(item: JsonFields, index: number): OpenMessage | OpenReasoning | undefined {
  if (item['type'] === 'message') {
    const message = item as unknown as OpenMessage['item'];
    return { kind: 'message', index, item: message, content: [], part: undefined, text: '' };
  }
  if (item['type'] !== 'reasoning') return undefined;
  return { kind: 'reasoning', index, item: item as unknown as OpenReasoning['item'], content: [], text: undefined };
}

/** Reasoning that its vendor did not encrypt. */
const isUnproven = ({ type, encrypted_content: proof }: JsonFields): boolean => type === 'reasoning' && !proof;

/** A text without sources and probabilities. */
function isBare({ annotations, logprobs }: JsonFields): boolean {
  return [annotations, logprobs].every((list) => (listOf(list) ?? []).length === 0);
}
