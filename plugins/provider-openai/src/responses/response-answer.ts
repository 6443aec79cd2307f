import {
  type ChatRequest,
  type ChatResult,
  ContentBuilder,
  completeChat,
  fieldsOf,
  type JsonFields,
  listOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { asExtra } from '../extra.ts';
import { annotationsOf, readCall, readEnd, readReasoning, spokenParts } from './response-items.ts';

/** Parses a response. An invalid or unfinished one is a failure, never a result. */
export function readResponse(
  document: JsonFields,
  request: ChatRequest,
  warnings: readonly string[],
  upstream: UpstreamClient,
): ChatResult {
  const items = listOf(document['output'])?.map(fieldsOf);
  if (!items?.every((item) => item !== undefined)) throw upstream.badAnswer('has no list of output', document);
  const said = new ContentBuilder();
  const others = new OtherOutput();
  let [refused, hasCalls] = [false, false];
  for (const item of items) {
    others.add(item);
    if (item['type'] === 'message') {
      for (const { type, text } of spokenParts(item, upstream)) {
        refused ||= type === 'refusal';
        said.add(type, text);
      }
    } else if (item['type'] === 'reasoning') {
      const { text, proof } = readReasoning(item);
      if (!proof) continue;
      // Even if it has no text: otherwise the proof would be that of the reasoning before it.
      said.add('reasoning', text);
      said.endReasoning(proof);
    } else if (item['type'] === 'function_call') {
      hasCalls = true;
      said.call(readCall(item, upstream));
    }
  }
  const end = readEnd(document, refused, hasCalls, upstream);
  return completeChat({ content: said.content, ...end, ...others.extra }, request, warnings, upstream);
}

const read: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call']);

/** The rest of a response beside texts, reasoning and calls: references, and the work of the vendor's own tools. */
export class OtherOutput {
  readonly #output: JsonFields[] = [];
  readonly #annotations: unknown[] = [];

  add(item: JsonFields): void {
    if (!read.has(item['type'])) this.#output.push(item);
    if (item['type'] === 'message') this.#annotations.push(...annotationsOf(item));
  }

  get extra() {
    const [output, annotations] = [this.#output, this.#annotations];
    return asExtra('openai-responses', {
      ...(output.length > 0 && { output }),
      ...(annotations.length > 0 && { annotations }),
    });
  }
}
