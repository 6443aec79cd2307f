import { jsonTexts } from '@patchbay/compat/json-texts';
import { jsonTextOf } from '@patchbay/core';
import { entityTag } from '../input/headers.ts';
import type { Route } from '../routing.ts';
import type { Admission } from '../service-types.ts';

/** The response of an operation. */
export type Reply = ReplyHead &
  (
    | { readonly json: unknown }
    | { readonly text: string | Uint8Array; readonly mediaType: string }
    /** Chunks of a streamed body, such as server-sent events. The iteration ends early when the client disconnects. */
    | { readonly stream: Streamed; readonly mediaType: string }
    | { readonly empty: true }
  );

/** Pieces of a body. Bytes belong to a response that is passed on as another server sent it. */
export type Streamed = AsyncIterable<string | Uint8Array>;

interface ReplyHead {
  /** Default: the status of the row's `success`. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Revision of the resource: becomes `ETag`, and is compared with `If-None-Match` if the row supports it. */
  readonly revision?: number;
  /** Path of the created resource, within the area of the operation; becomes `Location`. */
  readonly location?: string;
}

/** A response for binders: every header but `Content-Length`, and the body. */
export interface WireReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | Streamed | undefined;
  /** The connection must be closed. */
  readonly close: boolean;
}

export function isStreamed(body: WireReply['body']): body is Streamed {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

/** Convert a reply into the form that binders write. JSON is serialized once, here. */
export function toWire(reply: Reply, { operation, basePath }: Route, mountPath: string): WireReply {
  const headers: Record<string, string> = {};
  let body: WireReply['body'];
  if ('json' in reply) {
    headers['Content-Type'] = 'application/json';
    body = jsonTextOf(reply.json);
  } else if ('text' in reply) {
    headers['Content-Type'] = reply.mediaType;
    body = reply.text;
  } else if ('stream' in reply) {
    headers['Content-Type'] = reply.mediaType;
    body = reply.stream;
  }
  if (reply.location !== undefined) headers['Location'] = mountPath + basePath + reply.location;
  if (reply.headers) Object.assign(headers, reply.headers);
  if (reply.revision !== undefined) headers['ETag'] = entityTag(reply.revision);
  return { status: reply.status ?? operation.success.status, headers, body, close: false };
}

/** The headers of every response. */
export function withCommonHeaders(headers: Record<string, string>, requestId: string): void {
  headers['Request-Id'] = requestId;
  headers['Patchbay-Version'] = apiVersion;
  headers['Cache-Control'] ??= 'no-store';
  headers['X-Content-Type-Options'] = 'nosniff';
}

type Standing = Admission['standings'][number];
type Policy = Standing['policy'];

/** Writes `RateLimit-Policy` and `RateLimit`, as draft 10 of the IETF's RateLimit header fields has them. */
type WriteRateHeaders = (headers: Record<string, string>, standings: readonly Standing[]) => void;

/**
 * `q` is what a full bucket has and `w` the seconds in which an empty one fills: as many per second as the limit says.
 * `r` is what is left. `t` is when the bucket is full again; in a refusal, when the request can succeed, as in
 * `Retry-After`.
 */
export function createRateHeaders(): WriteRateHeaders {
  const texts = new WeakMap<Policy, string>();

  const textOf = (policy: Policy): string => {
    const known = texts.get(policy);
    if (known !== undefined) return known;
    const { name, requests, seconds, burst } = policy;
    const text = `"${name}";q=${burst};w=${Math.ceil((burst * seconds) / requests)}`;
    texts.set(policy, text);
    return text;
  };

  return (headers, standings) => {
    if (standings.length === 0) return;
    let policies = '';
    let left = '';
    for (const { policy, allowed, remaining, resetSeconds, retryAfterSeconds } of standings) {
      const comma = policies === '' ? '' : ', ';
      policies += comma + textOf(policy);
      left += `${comma}"${policy.name}";r=${remaining};t=${Math.ceil(allowed ? resetSeconds : retryAfterSeconds)}`;
    }
    headers['RateLimit-Policy'] = policies;
    headers['RateLimit'] = left;
  };
}

/** An event of a stream: its name, and a document. */
export interface StreamEvent {
  readonly event: 'start' | 'log' | 'delta' | 'restart' | 'resumed' | 'done';
  readonly data: unknown;
}

/** Events with one string each, which arrived together. */
export interface TextEvents {
  readonly event: 'delta';
  /** The member of the documents. */
  readonly member: string;
  readonly texts: readonly string[];
}

export const eventStreamType = 'text/event-stream';

/**
 * Server-sent events (HTML standard, section 9.2), those that arrive together in one piece. A stream that
 * ends without `done` has failed.
 */
export async function* eventStream<T>(
  start: StreamEvent,
  { batches }: { readonly batches: AsyncIterable<readonly T[]> },
  toEvent: (event: T) => StreamEvent | TextEvents | undefined,
): AsyncGenerator<string> {
  yield textOf(start);
  for await (const events of batches) {
    let text = '';
    for (const event of events) {
      const shown = toEvent(event);
      if (shown) text += textOf(shown);
    }
    if (text !== '') yield text;
  }
}

/**
 * End a failing stream with an event that reports the failure.
 *
 * @param eventOf Given the failure, and the last piece before it.
 */
export function endingInWords(
  stream: Streamed,
  eventOf: (error: unknown, last: string | Uint8Array) => string,
): Streamed {
  let last: string | Uint8Array = '';
  return passing(stream, {
    piece(piece) {
      if (hasData(piece)) last = piece;
    },
    failed: (error) => eventOf(error, last),
  });
}

/** False for comments, by which servers keep connections open. */
function hasData(piece: string | Uint8Array): boolean {
  if (typeof piece === 'string') return piece.includes('data:');
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).includes('data:');
}

/** Whether a piece of such a stream reports that it failed, in the format of any API. */
export function isFailure(piece: string | Uint8Array): boolean {
  if (typeof piece !== 'string') return false;
  return piece.startsWith('event: error\n') || piece.startsWith('data: {"error":');
}

/** The same for everything that another server has sent, which arrives in pieces that are cut anywhere. */
export function tellsFailure(text: string): boolean {
  return /^(?:event: ?error$|data: ?\{\s*"error"\s*:)/m.test(text);
}

/**
 * Whether a piece of such a stream shows everything so far. The following pieces contain that as well, and the last one
 * contains the whole, so this piece need not be kept.
 */
export function isSnapshot(piece: string | Uint8Array): boolean {
  if (typeof piece !== 'string') return false;
  return piece.startsWith('event: delta\ndata: {"output":') || piece.startsWith('event: restart\n');
}

/** The text before the document of each event, made once: every piece of every stream needs it. */
const openings: Readonly<Record<StreamEvent['event'], string>> = {
  start: 'event: start\ndata: ',
  log: 'event: log\ndata: ',
  delta: 'event: delta\ndata: ',
  restart: 'event: restart\ndata: ',
  resumed: 'event: resumed\ndata: ',
  done: 'event: done\ndata: ',
};

function textOf(event: StreamEvent | TextEvents): string {
  const opening = openings[event.event];
  if ('data' in event) return `${opening}${JSON.stringify(event.data)}\n\n`;
  return jsonTexts(event.texts, `${opening}{${JSON.stringify(event.member)}:`, '}\n\n');
}

/** Sent as `Patchbay-Version`: the day of the last change of the API that clients can see. Changes only ever add. */
export const apiVersion = '2026-11-21';

type Piece = string | Uint8Array;

interface Watching {
  /** Sees each piece that passes. */
  readonly piece?: (piece: Piece) => void;
  /** The last piece of a stream that fails. Default: the stream fails for its reader as well. */
  readonly failed?: (error: unknown) => Piece;
  /** The stream is complete, has failed, or its reader has left it. May be called again. */
  readonly over?: () => void;
}

/**
 * The same pieces, watched as they pass. Neither a generator nor an async function: each costs more per piece
 * than making the piece does.
 */
export function passing(stream: Streamed, { piece, failed, over }: Watching): Streamed {
  return {
    [Symbol.asyncIterator]() {
      const pieces = stream[Symbol.asyncIterator]();
      let isOver = false;
      const end = (): void => {
        isOver = true;
        over?.();
      };
      const pass = (step: IteratorResult<Piece>): IteratorResult<Piece> => {
        if (step.done) end();
        else piece?.(step.value);
        return step;
      };
      const fail = (error: unknown): IteratorResult<Piece> => {
        end();
        if (!failed) throw error;
        return { value: failed(error) };
      };
      return {
        next: () => (isOver ? Promise.resolve({ value: undefined, done: true }) : pieces.next().then(pass, fail)),
        async return() {
          try {
            await pieces.return?.();
          } finally {
            end();
          }
          return { value: undefined, done: true };
        },
      };
    },
  };
}
