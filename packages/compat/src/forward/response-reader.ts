import { PatchbayError } from '@patchbay/core';
import { fieldsOf, type JsonFields, providerError, textOf } from '@patchbay/core/provider';
import type { ForwardOutcome, OriginalReader } from '../gateway-types.ts';
import { dataOf, EventBytes } from './event-bytes.ts';
import type { SentStream } from './sent-stream.ts';

type Found = { -readonly [Name in keyof ForwardOutcome]: ForwardOutcome[Name] };

/** Notes what a response of one dialect says, document by document. */
export interface ResponseNotes {
  readonly found: Found;
  /** Output of the model was among it. */
  readonly hasOutput: boolean;
  /** The response has everything up to its end. */
  readonly isComplete: boolean;
  /** A failure that the vendor reported, other than by an `error` member of an event. */
  readonly failure?: PatchbayError | undefined;
  read(document: JsonFields): void;
  /** Behind a complete stream: the last event, which its API demands and its vendor has left out. */
  readonly missingEnd?: Uint8Array | undefined;
  /** The event that ends a complete stream was read. Default: where no end is missing. */
  readonly hasEnd?: boolean;
  /** The mark behind the last event was read. Without it, a response can be complete all the same. */
  over?(): void;
  /** The bytes for the caller of an event that has something only the gateway asked for, in pieces. Default: all of it. */
  readonly shown?: (event: Buffer, document: JsonFields) => readonly Uint8Array[];
}

/** Ends every complete stream in the APIs of OpenAI. */
export const doneEvent = Buffer.from('data: [DONE]\n\n');

export const noOutcome = (): Found => ({ outputBytes: 0, ownIds: [] });

export const badResponse = (what: string): PatchbayError =>
  providerError('bad_response', `the response of the model provider ${what}`);

/** Reads a response that is one JSON document. */
export function documentReader(notes: ResponseNotes): OriginalReader {
  const pieces: Uint8Array[] = [];
  let isRead = false;
  const read = (): void => {
    if (isRead) return;
    isRead = true;
    const document = fieldsOf(parse(Buffer.concat(pieces)));
    if (!document) throw badResponse('is no JSON object');
    notes.read(document);
  };
  return {
    push(bytes) {
      pieces.push(bytes);
      return bytes;
    },
    flush: () => nothing,
    hasOutput: false,
    failure: undefined,
    isOver: false,
    withheld: nothing,
    resumePoint: undefined,
    get outcome() {
      return notes.found;
    },
    end() {
      read();
      if (notes.failure) throw notes.failure;
      if (!notes.isComplete) throw badResponse('is incomplete');
      return notes.found;
    },
  };
}

/**
 * Reads a stream of events.
 *
 * @param sent Follows what the caller receives, where another model can continue it.
 */
export function eventReader(notes: ResponseNotes, sent?: SentStream): OriginalReader {
  const cutter = new EventBytes();
  let failure: PatchbayError | undefined;
  let last: Uint8Array = nothing;
  /** The connection ended as it should. */
  let hasEnded = false;
  const withheld: Uint8Array[] = [];

  const read = (event: Buffer, passed: Passed): void => {
    const data = textIn(event);
    if (data === undefined || data === '[DONE]') {
      if (data !== undefined) notes.over?.();
      passed.add(event);
      return;
    }
    const document = fieldsOf(parse(data));
    if (!document) throw badResponse('has an event that is no JSON object');
    const error = document['error'];
    if (error !== undefined && error !== null) failure = failureOf(fieldsOf(error) ?? {});
    else notes.read(document);
    failure ??= notes.failure;
    if (failure) {
      withheld.push(event);
      return;
    }
    sent?.read(document);
    if (notes.shown) for (const piece of notes.shown(event, document)) passed.add(piece);
    else passed.add(event);
  };
  const take = (events: readonly Buffer[]): Uint8Array => {
    const passed = new Passed();
    for (const event of events) {
      if (failure) {
        // The words of the vendor; a malformed event, and a mark of success behind a failure, are sent to no caller.
        if (withheld.length > 0 && tellsFailure(event)) withheld.push(event);
        continue;
      }
      try {
        read(event, passed);
      } catch (error) {
        if (!PatchbayError.is(error)) throw error;
        failure = error;
      }
    }
    return passed.bytes;
  };
  const lacksNothing = (): boolean => notes.isComplete && !notes.missingEnd;
  const finish = (): void => {
    const rest = cutter.rest();
    if (rest.length === 0) return;
    last = take([rest]);
    // Clients read an event only with the empty line behind it, and another model may write the next one.
    if (last.length > 0 && !lacksNothing()) last = Buffer.concat([last, endOfEvent]);
  };

  return {
    push: (bytes) => take(cutter.push(bytes)),
    get withheld() {
      return Buffer.concat(withheld);
    },
    get resumePoint() {
      return sent?.resumePoint;
    },
    flush() {
      finish();
      return hasEnded && notes.missingEnd ? Buffer.concat([last, notes.missingEnd]) : last;
    },
    get hasOutput() {
      return notes.hasOutput;
    },
    get failure() {
      return failure;
    },
    get isOver() {
      return notes.hasEnd ?? lacksNothing();
    },
    get outcome() {
      return notes.found;
    },
    end() {
      finish();
      if (failure) throw failure;
      if (!notes.isComplete) throw badResponse('ended before it was complete');
      hasEnded = true;
      return notes.found;
    },
  };
}

/** Bytes that pass. Neighbours stay where they are: most pieces pass as they came, and are not copied. */
class Passed {
  readonly #parts: Uint8Array[] = [];
  #first: Uint8Array = nothing;
  /** With the neighbours behind the first one. */
  #length = 0;

  add(part: Uint8Array): void {
    const isNext = part.buffer === this.#first.buffer && part.byteOffset === this.#first.byteOffset + this.#length;
    if (isNext) {
      this.#length += part.length;
      return;
    }
    this.#close();
    this.#first = part;
    this.#length = part.length;
  }

  get bytes(): Uint8Array {
    this.#close();
    const [first = nothing, second] = this.#parts;
    return second ? Buffer.concat(this.#parts) : first;
  }

  #close(): void {
    const { buffer, byteOffset, length } = this.#first;
    if (this.#length > 0) {
      this.#parts.push(length === this.#length ? this.#first : Buffer.from(buffer, byteOffset, this.#length));
    }
    this.#length = 0;
  }
}

const nothing = new Uint8Array();
const endOfEvent = Buffer.from('\n\n');

function textIn(event: Buffer): string | undefined {
  try {
    return dataOf(event);
  } catch {
    throw badResponse('is not valid UTF-8');
  }
}

function tellsFailure(event: Buffer): boolean {
  try {
    const { error, response } = fieldsOf(parse(textIn(event) ?? '')) ?? {};
    return Boolean(error ?? fieldsOf(response)?.['error']);
  } catch {
    return false;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : utf8.decode(json));
  } catch {
    throw badResponse('is not JSON');
  }
}

/** Only who is at fault is read: what the vendor says of it goes to the caller. */
export function failureOf({ type, code }: JsonFields): PatchbayError {
  const kind = textOf(type) ?? textOf(code) ?? '';
  const message = 'the model provider failed during the stream';
  if (/rate_limit/.test(kind) || code === 429) return providerError('rate_limited', message);
  return providerError(/invalid_request/.test(kind) ? 'rejected' : 'failed', message);
}

/** About how many bytes of output a value has, in all its texts. */
export function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, each) => sum + textBytes(each), 0);
}
