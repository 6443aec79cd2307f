import type { Socket } from 'node:net';
import type { Dialect } from './dialects/dialect.ts';
import type { Exchange, Reply } from './exchange.ts';
import { type ReadRequest, RequestReader } from './request-reader.ts';
import type { UpstreamRequest } from './upstream-request.ts';

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly number: number;
  readonly dialect: Dialect;
  /** Called once per request, when it has arrived whole. */
  readonly takeReply: (request: UpstreamRequest) => Reply;
  /** A reply that throws is a fault of the test, which has to learn of it. */
  readonly onReplyFailed: (error: unknown) => void;
}

/** Answers the requests of one connection, one after the other. */
export function serveConnection(options: ConnectionOptions): void {
  const { socket, number, dialect, takeReply, onReplyFailed } = options;
  const closing = new AbortController();
  const reader = new RequestReader();
  let turn = Promise.resolve();

  const answer = async (read: ReadRequest): Promise<void> => {
    let replied = false;
    const request: UpstreamRequest = {
      ...read,
      json: parseJson(read.body),
      connection: number,
      closed: closing.signal,
      get aborted() {
        return closing.signal.aborted && !replied;
      },
    };
    const write: Exchange['write'] = (data) => writeAll(socket, data, closing.signal);
    await takeReply(request)({ request, dialect, socket, write });
    // A closed connection lets every write resolve, so a reply that ran to completion proves nothing by itself.
    replied = !closing.signal.aborted;
  };

  const giveUp = (error: unknown) => {
    onReplyFailed(error);
    socket.destroy();
  };

  socket.setNoDelay(true);
  // A connection that the client breaks is recorded by `closed`, and is not an error here.
  socket.on('error', () => undefined);
  socket.on('close', () => closing.abort());
  socket.on('data', (bytes: Buffer) => {
    try {
      for (const read of reader.read(bytes)) turn = turn.then(() => answer(read)).catch(giveUp);
    } catch {
      socket.destroy();
    }
  });
}

function writeAll(socket: Socket, data: string | Uint8Array, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (closed.aborted) return resolve();
    const done = () => {
      socket.off('drain', done);
      closed.removeEventListener('abort', done);
      resolve();
    };
    closed.addEventListener('abort', done);
    if (socket.write(data)) return done();
    socket.on('drain', done);
  });
}

function parseJson(text: string): UpstreamRequest['json'] {
  try {
    return JSON.parse(text) as UpstreamRequest['json'];
  } catch {
    return undefined;
  }
}
