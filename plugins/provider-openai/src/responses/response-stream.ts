import {
  type ChatDelta,
  type ChatRequest,
  ContentBuilder,
  completeChat,
  fieldsOf,
  finishDelta,
  type JsonFields,
  type StreamReader,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { OtherOutput } from './response-answer.ts';
import { BETWEEN, readCall, readEnd, readReasoning } from './response-items.ts';

/** An item that is being streamed. */
interface OpenItem {
  /** The id of a call. Empty for every other item, and for a call that does not name its function. */
  readonly id: string;
  readonly name: string;
  /** The kind of reasoning that is shown: the model's own text, or a summary. */
  shows: string | undefined;
  /** The number of the part that is being written. */
  part: unknown;
  /** The text shown of it so far. */
  text: string;
}

const joins = {
  growing: new Set(['/delta']),
  replaced: new Set(['/sequence_number', '/obfuscation']),
} satisfies StreamReader['joins'];

/** Reads a streamed response. One that ends before it says that it is complete, or why it is not, has failed. */
export function responseReader(
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): StreamReader {
  const said = new ContentBuilder();
  const others = new OtherOutput();
  const open = new Map<unknown, OpenItem>();
  let [refused, hasCalls, isFinished] = [false, false, false];

  const read = (data: JsonFields, deltas: ChatDelta[]): void => {
    const place = placeOf(data);
    const item = open.get(place) ?? beginItem(data);
    open.set(place, item);
    switch (data['type']) {
      case 'response.output_item.added': {
        if (item.id !== '') deltas.push({ type: 'tool-arguments', id: item.id, name: item.name, text: '' });
        break;
      }
      case 'response.output_text.delta':
      case 'response.refusal.delta': {
        const text = textOf(data['delta']);
        if (text === undefined) throw upstream.badAnswer('has a text that is not a string', data);
        if (text === '') break;
        const type = data['type'] === 'response.refusal.delta' ? 'refusal' : 'text';
        refused ||= type === 'refusal';
        said.add(type, text);
        deltas.push({ type, text });
        break;
      }
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta': {
        const text = nextReasoning(item, data);
        if (text === '') break;
        said.add('reasoning', text);
        deltas.push({ type: 'reasoning', text });
        break;
      }
      case 'response.function_call_arguments.delta': {
        const text = textOf(data['delta']) ?? '';
        if (text === '' || item.id === '') break;
        item.text += text;
        deltas.push({ type: 'tool-arguments', id: item.id, name: item.name, text });
        break;
      }
      case 'response.output_item.done': {
        const whole = fieldsOf(data['item']) ?? {};
        others.add(whole);
        if (whole['type'] === 'reasoning') endReasoning(whole, item, said, deltas);
        if (whole['type'] !== 'function_call') break;
        const toolCall = readCall(whole, upstream);
        hasCalls = true;
        said.call(toolCall);
        const rest = restOfArguments(whole, item);
        if (rest !== '') deltas.push({ type: 'tool-arguments', id: item.id, name: item.name, text: rest });
        deltas.push({ type: 'tool-call', toolCall });
        break;
      }
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const end = readEnd(fieldsOf(data['response']) ?? {}, refused, hasCalls, upstream);
        const result = { content: said.content, ...end, ...others.extra };
        deltas.push(finishDelta(completeChat(result, request, warnings, upstream)));
        isFinished = true;
        break;
      }
      case 'error':
        throw upstream.streamError(data);
    }
  };
  return {
    joins,
    read({ data = {} }, deltas) {
      read(data, deltas);
      return isFinished;
    },
    end() {
      if (!isFinished) throw upstream.badAnswer('ends before it is finished');
    },
  };
}

/** No known server interleaves the items of a response, but each event says which item it belongs to. */
function placeOf(data: JsonFields): unknown {
  return data['output_index'] ?? data['item_id'] ?? fieldsOf(data['item'])?.['id'];
}

function beginItem(data: JsonFields): OpenItem {
  const item = fieldsOf(data['item']);
  const name = item?.['type'] === 'function_call' ? (textOf(item['name']) ?? '') : '';
  const id = name === '' ? '' : (textOf(item?.['call_id']) ?? '');
  return { id, name, shows: undefined, part: undefined, text: '' };
}

/** A piece of reasoning, with a space before each part but the first; empty for a kind that is not shown. */
function nextReasoning(item: OpenItem, data: JsonFields): string {
  const text = textOf(data['delta']) ?? '';
  const kind = textOf(data['type']);
  item.shows ??= kind;
  if (text === '' || item.shows !== kind) return '';
  const part = data['summary_index'] ?? data['content_index'];
  const isNext = item.text !== '' && item.part !== part;
  item.part = part;
  const shown = isNext ? BETWEEN + text : text;
  item.text += shown;
  return shown;
}

function endReasoning(whole: JsonFields, item: OpenItem, said: ContentBuilder, deltas: ChatDelta[]): void {
  const { text, proof } = readReasoning(whole);
  if (!proof) return;
  if (item.text === '') {
    // Even if it has no text: otherwise the proof would be that of the reasoning before it.
    said.add('reasoning', text);
    deltas.push({ type: 'reasoning', text });
  }
  said.endReasoning(proof);
  deltas.push({ type: 'reasoning-end', ...proof });
}

/** The end of the JSON arguments that the pieces of an announced call lack. */
function restOfArguments(whole: JsonFields, { id, text }: OpenItem): string {
  if (id === '') return '';
  const complete = textOf(whole['arguments']) || '{}';
  return complete.startsWith(text) ? complete.slice(text.length) : '';
}
