import { PatchbayError } from '@patchbay/core';
import {
  fieldsOf,
  type JsonFields,
  providerError,
  RepeatedJson,
  type StreamReader,
  textOf,
} from '@patchbay/core/provider';
import type { ForwardOutcome, OriginalReader } from '../gateway-types.ts';
import { type CutEvents, dataOf, EventCutter } from './cut-events.ts';
import type { SentStream } from './sent-stream.ts';

type Found = { -readonly [Name in keyof ForwardOutcome]: ForwardOutcome[Name] };

/** Records the facts of a response in one dialect, document by document. */
export interface ResponseNotes {
  readonly found: Found;
  /** It contained output of the model. */
  readonly hasOutput: boolean;
  /** The response has everything up to its end. */
  readonly isComplete: boolean;
  /** A failure that the vendor reported, other than by an `error` member of an event. */
  readonly failure?: PatchbayError | undefined;
  read(document: JsonFields): void;
  /** After a complete stream: the last event, which its API requires and its vendor has omitted. */
  readonly missingEnd?: Uint8Array | undefined;
  /** The event that ends a complete stream was read. Default: if no end is missing. */
  readonly hasEnd?: boolean;
  /** The mark after the last event was read. A response can be complete without it. */
  over?(): void;
  /**
   * The text for the caller of events that contain something only the gateway requested. Default: all of it.
   *
   * @param document That of one event, or of all of them together.
   * @param count How many events.
   */
  readonly shown?: (events: string, document: JsonFields, count: number) => string;
  /** Consecutive events that differ only in these members are read as one. Default: each is read by itself. */
  readonly joins?: NonNullable<StreamReader['joins']>;
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
 * @param sent Follows what the caller receives, if another model can continue it.
 */
export function eventReader(notes: ResponseNotes, sent?: SentStream): OriginalReader {
  const cutter = new EventCutter();
  const json = new RepeatedJson(parse, notes.joins);
  let failure: PatchbayError | undefined;
  let last: Uint8Array = nothing;
  /** The connection ended as it should. */
  let hasEnded = false;
  let withheld = '';
  /** The text before the data of the last event that was read by itself. */
  let opening: string | undefined;

  const note = (events: string, document: JsonFields, count: number): string => {
    const error = document['error'];
    if (error !== undefined && error !== null) failure = failureOf(fieldsOf(error) ?? {});
    else notes.read(document);
    failure ??= notes.failure;
    if (failure) {
      withheld += events;
      return '';
    }
    sent?.read(document);
    return notes.shown?.(events, document, count) ?? events;
  };
  /** @returns the text for the caller. */
  const read = (event: string | undefined): string => {
    if (event === undefined) throw badResponse('is not valid UTF-8');
    const data = dataOf(event);
    if (!data) return event;
    const { text, from, to } = data;
    if (to - from === done.length && text.startsWith(done, from)) {
      notes.over?.();
      return event;
    }
    opening = text === event && to === event.length - endOfEvent.length ? event.slice(0, from) : undefined;
    const document = fieldsOf(json.read(text, from, to));
    if (!document) throw badResponse('has an event that is no JSON object');
    return note(event, document, 1);
  };
  const isJoined = (event: string): boolean =>
    opening !== undefined &&
    event.startsWith(opening) &&
    json.join(event, opening.length, event.length - endOfEvent.length);
  const take = ({ bytes, events, text }: CutEvents): Uint8Array => {
    const passed: string[] = [];
    let isWhole = true;
    /** Positions in the text: after the last event, and after the last one that was not joined. */
    let [at, behind] = [0, 0];
    const takeJoined = (): void => {
      const joined = json.joined();
      if (!joined) return;
      const { length } = joined.pieces;
      const own = notes.shown ? passed.splice(-length) : [];
      const all = text?.slice(behind, at) ?? own.join('');
      // It says nothing that an earlier event has not said, so it is not a failure.
      const shown = note(all, fieldsOf(joined.document) ?? {}, length);
      if (!notes.shown) return;
      isWhole &&= shown === all;
      passed.push(shown);
    };
    for (const event of events) {
      let shown = '';
      const end = at + (event?.length ?? 0);
      if (failure) {
        // The vendor's error; a malformed event, and a success mark after a failure, are not sent to callers.
        if (withheld !== '' && event !== undefined && tellsFailure(event)) withheld += event;
      } else if (event !== undefined && events.length >= JOINED && isJoined(event)) {
        shown = event;
      } else {
        takeJoined();
        try {
          shown = read(event);
        } catch (error) {
          if (!PatchbayError.is(error)) throw error;
          failure = error;
        }
        behind = end;
      }
      at = end;
      isWhole &&= shown === event;
      passed.push(shown);
    }
    if (events.length >= JOINED) takeJoined();
    // The connection's own memory, if all of it passes.
    if (isWhole) return bytes;
    return passed.length === 1 ? Buffer.from(passed[0] ?? '') : bytesOf(passed);
  };
  const lacksNothing = (): boolean => notes.isComplete && !notes.missingEnd;
  const finish = (): void => {
    const rest = cutter.rest();
    if (rest.bytes.length === 0) return;
    const [event] = rest.events;
    const isEmpty = event !== undefined && !dataOf(event);
    // The name of an event that was cut off is no event, but clients of OpenAI would read one.
    if (isEmpty && !lacksNothing()) return;
    last = take(rest);
    // Clients read an event only with the empty line after it, and another model may write the next one.
    if (last.length > 0 && !isEmpty) last = Buffer.concat([last, endOfEvent]);
  };

  return {
    push: (bytes) => take(cutter.push(bytes)),
    get withheld() {
      return Buffer.from(withheld);
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

/** Fewer events that arrive together are cheaper to read one by one. */
const JOINED = 4;

const nothing = new Uint8Array();
const endOfEvent = Buffer.from('\n\n');
const done = '[DONE]';

/** Texts in one piece of memory; joined before, they would be copied twice. */
function bytesOf(texts: readonly string[]): Buffer {
  let length = 0;
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}

function tellsFailure(event: string): boolean {
  const { text, from, to } = dataOf(event) ?? { text: '', from: 0, to: 0 };
  try {
    const { error, response } = fieldsOf(parse(text.slice(from, to))) ?? {};
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

/** Only who is at fault is read: what the vendor says about it goes to the caller. */
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
