import type { JsonObject } from '@patchbay/core/plugin';
import {
  type ChatDelta,
  type ChatRequest,
  type ChatResult,
  contentText,
  type ModelInfo,
  partsOf,
  type StreamReader,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { Preset } from './presets.ts';

/** How a server is asked to continue a last message of the assistant. */
export interface Prefill {
  /** Members of the message. */
  readonly message?: JsonObject;
  /** Members of the request. */
  readonly request?: JsonObject;
  /** Its response begins with the text of the message. */
  readonly isRepeated?: boolean;
}

/** The models, with whether they continue messages of the assistant if it is not given. */
export function withPrefill(models: ReadonlyMap<string, ModelInfo>, preset?: Preset): Map<string, ModelInfo> {
  const writes = ({ capabilities }: ModelInfo): boolean => !capabilities.includes('embeddings');
  return new Map(
    [...models].map(([name, model]) => [name, preset?.prefill && writes(model) ? { prefill: true, ...model } : model]),
  );
}

/** The messages and the members of a request, with the marks of one whose last message is to be continued. */
export function marked(
  messages: OpenAI.ChatCompletionMessageParam[],
  { message, request }: Prefill,
): { readonly messages: OpenAI.ChatCompletionMessageParam[] } {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return { messages };
  return { ...request, messages: [...messages.slice(0, -1), { ...last, ...message }] };
}

/** The text with which the response to a request begins only because the request ends with it. */
export function repeatedText({ messages }: ChatRequest): string {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? contentText(last.content) : '';
}

/** Reads the deltas after a text that they begin with. */
export function readerBehind(text: string, reader: StreamReader): StreamReader {
  if (text === '') return reader;
  let missing = text;
  const show = (delta: ChatDelta, deltas: ChatDelta[]): void => {
    if (missing === '' || delta.type === 'reasoning' || delta.type === 'reasoning-end') {
      deltas.push(delta);
      return;
    }
    const said = delta.type === 'text' ? delta.text : '';
    const length = Math.min(said.length, missing.length);
    const isRepeated = delta.type === 'text' && said.slice(0, length) === missing.slice(0, length);
    if (isRepeated) {
      missing = missing.slice(length);
      if (length < said.length) deltas.push({ type: 'text', text: said.slice(length) });
      return;
    }
    const held = text.slice(0, text.length - missing.length);
    missing = '';
    if (held !== '') deltas.push({ type: 'text', text: held });
    deltas.push(delta);
  };
  const within = <T>(deltas: ChatDelta[], work: (all: ChatDelta[]) => T): T => {
    const all: ChatDelta[] = [];
    try {
      return work(all);
    } finally {
      for (const delta of all) show(delta, deltas);
    }
  };
  return {
    read: (event, deltas) => within(deltas, (all) => reader.read(event, all)),
    end: (deltas) => within(deltas, (all) => reader.end(all)),
  };
}

/** The result without a text that it begins with. */
export function resultBehind(text: string, result: ChatResult): ChatResult {
  if (text === '') return result;
  const parts = partsOf(result.content);
  const index = parts.findIndex(({ type }) => type !== 'reasoning');
  const first = parts[index];
  if (first?.type !== 'text' || !first.text.startsWith(text)) return result;
  return { ...result, content: parts.with(index, { ...first, text: first.text.slice(text.length) }) };
}
