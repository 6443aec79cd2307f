import {
  type ChatDelta,
  fieldsOf,
  type JsonFields,
  jsonTextOf,
  readToolCall,
  type ToolCall,
  textOf,
  type UpstreamClient,
} from '@patchbay/core/provider';
import { asExtra, mergeMembers } from './extra.ts';

/** A call, as it stands in a message. */
export function readCall(value: unknown, upstream: UpstreamClient): ToolCall {
  const call: JsonFields = fieldsOf(value) ?? {};
  const { id, function: target, type: _, index: __, ...others } = call;
  const { name, arguments: values } = targetOf(target);
  return { ...readToolCall({ id, name, arguments: values }, upstream), ...asExtra('openai-chat', others) };
}

function targetOf(value: unknown): { readonly name: unknown; readonly arguments: unknown } {
  const target = fieldsOf(value);
  return { name: target?.['name'], arguments: target?.['arguments'] };
}

interface PartialCall {
  id: string;
  name: string;
  arguments: string;
  /** How much of the arguments was yielded; undefined before the call is announced. */
  shown: number | undefined;
  readonly others: Record<string, unknown>;
}

/** The calls of a streamed completion. Their pieces carry the index of the call, and may alternate. */
export class StreamedCalls {
  readonly #calls: PartialCall[] = [];
  readonly #byIndex = new Map<number, PartialCall>();
  readonly #upstream: UpstreamClient;

  constructor(upstream: UpstreamClient) {
    this.#upstream = upstream;
  }

  /** Takes a piece, and returns what can be shown of it: nothing before the call has its id and name. */
  add(value: unknown): ChatDelta | undefined {
    const piece: JsonFields = fieldsOf(value) ?? {};
    const { index, id, function: target, type: _, ...others } = piece;
    const { name, arguments: values } = targetOf(target);
    const call = this.#callAt(index, textOf(id) ?? '', textOf(name) ?? '');
    call.arguments += argumentsText(values);
    mergeMembers(call.others, others);
    if (call.id === '' || call.name === '') return undefined;
    const text = call.arguments.slice(call.shown ?? 0);
    if (text === '' && call.shown !== undefined) return undefined;
    call.shown = call.arguments.length;
    return { type: 'tool-arguments', id: call.id, name: call.name, text };
  }

  /** The complete calls, and a piece for each whose pieces are not yet JSON. */
  end(): { readonly toolCalls: readonly ToolCall[]; readonly pieces: readonly ChatDelta[] } {
    const toolCalls = this.#calls.map(({ others, ...call }) => ({
      ...readToolCall(call, this.#upstream),
      ...asExtra('openai-chat', others),
    }));
    const silent = this.#calls.filter(({ arguments: text }) => text === '');
    const pieces = silent.map(({ id, name }) => ({ type: 'tool-arguments' as const, id, name, text: '{}' }));
    return { toolCalls, pieces };
  }

  #callAt(index: unknown, id: string, name: string): PartialCall {
    const last = this.#calls.at(-1);
    if (typeof index === 'number') {
      const call = this.#byIndex.get(index);
      // Some servers give every call the index 0.
      const isOther = call !== undefined && id !== '' && name !== '' && call.id !== '' && call.id !== id;
      if (call && !isOther) return named(call, id, name);
      const begun = this.#begin(id, name);
      this.#byIndex.set(index, begun);
      return begun;
    }
    if (index !== undefined && index !== null) throw this.#upstream.badAnswer('has a tool call at no place', index);
    // Without an index, an id begins a call, and what has none continues the last one.
    const continues = last !== undefined && (id === '' || id === last.id);
    return continues ? named(last, id, name) : this.#begin(id, name);
  }

  #begin(id: string, name: string): PartialCall {
    const call: PartialCall = { id, name, arguments: '', shown: undefined, others: {} };
    this.#calls.push(call);
    return call;
  }
}

function named(call: PartialCall, id: string, name: string): PartialCall {
  call.id ||= id;
  call.name ||= name;
  return call;
}

/** Some servers send the arguments as an object, in one piece. */
function argumentsText(values: unknown): string {
  const object: JsonFields | undefined = fieldsOf(values);
  return object ? jsonTextOf(object) : (textOf(values) ?? '');
}
