import { type AnswerStream, endingOf, isStream, type StreamEvent } from '../dialects/dialect.ts';
import { beginChunks, type Exchange, endChunks, type Reply, writeChunk } from '../exchange.ts';
import { completeAnswer, type UpstreamAnswer } from '../upstream-answer.ts';
import { eventText, healthy, streamHeaders } from './healthy.ts';
import { closed } from './timing.ts';

/**
 * The parts of a streamed answer, written by `play`. A request that does not ask for a stream gets its healthy answer.
 */
function streamed(
  answer: UpstreamAnswer,
  play: (
    stream: AnswerStream,
    send: (...events: readonly StreamEvent[]) => Promise<void>,
    exchange: Exchange,
  ) => Promise<void>,
  cut?: 'terminator',
): Reply {
  return async (exchange) => {
    const { dialect, request } = exchange;
    if (dialect.refuse(request)) return healthy()(exchange);
    const result = dialect.answer(request, completeAnswer(answer));
    if (!isStream(result)) return healthy(answer)(exchange);
    await beginChunks(exchange, streamHeaders(dialect));
    await play(
      { ...result, ending: cut === 'terminator' ? result.ending : endingOf(result) },
      async (...events) => {
        for (const event of events) await writeChunk(exchange, eventText(event, dialect));
      },
      exchange,
    );
  };
}

const half = (list: readonly unknown[]): number => Math.ceil(list.length / 2);

/** An event whose JSON is cut off, after so many complete ones (default: half of the answer); the rest are complete. */
export function malformedEvent(answer: UpstreamAnswer = {}, after?: number): Reply {
  return streamed(answer, async ({ opening, pieces, ending }, send, exchange) => {
    const place = after ?? pieces.length >> 1;
    const broken = pieces.map((piece, index) => (index === place ? piece.slice(0, -3) : piece));
    await send(...opening, ...broken, ...ending);
    await endChunks(exchange);
  });
}

/** A healthy stream sent byte by byte, so that multi-byte characters are cut. */
export function bytewise(answer: UpstreamAnswer = { text: 'Grüße aus 東京 🚀' }): Reply {
  return streamed(answer, async ({ opening, pieces, ending }, _, exchange) => {
    const text = [...opening, ...pieces, ...ending].map((event) => eventText(event, exchange.dialect)).join('');
    for (const byte of Buffer.from(text)) await writeChunk(exchange, Uint8Array.of(byte));
    await endChunks(exchange);
  });
}

/** A healthy stream with the line ends that the vendor does not use. */
export function otherLineEnds(answer: UpstreamAnswer = {}): Reply {
  return streamed(answer, async ({ opening, pieces, ending }, _, exchange) => {
    const lineEnd = exchange.dialect.lineEnd === '\n' ? '\r\n' : '\n';
    for (const event of [...opening, ...pieces, ...ending])
      await writeChunk(exchange, eventText(event, { ...exchange.dialect, lineEnd }));
    await endChunks(exchange);
  });
}

/** A healthy stream with a comment (NDJSON: an empty line) before each event, which keeps a connection open. */
export function comments(answer: UpstreamAnswer = {}): Reply {
  return streamed(answer, async ({ opening, pieces, ending }, send, exchange) => {
    const comment = exchange.dialect.streamFormat === 'ndjson' ? '' : ': keep-alive';
    for (const event of [...opening, ...pieces, ...ending]) await send(comment, event);
    await endChunks(exchange);
  });
}

/** Half of the answer, then the vendor's report of a failure. */
export function errorEvent(message = 'Overloaded'): Reply {
  return streamed({}, async ({ opening, pieces }, send, exchange) => {
    await send(...opening, ...pieces.slice(0, half(pieces)), exchange.dialect.errorEvent(message, exchange.request));
    await endChunks(exchange);
  });
}

/** The whole text, and then a proper end of the response without the event that says so. */
export function noEnding(): Reply {
  return streamed({}, async ({ opening, pieces }, send, exchange) => {
    await send(...opening, ...pieces);
    await endChunks(exchange);
  });
}

/** A complete answer and a proper end of the response, without the event that the vendor sends last, such as `[DONE]`. */
export function noTerminator(answer: UpstreamAnswer = {}): Reply {
  const whole: Parameters<typeof streamed>[1] = async ({ opening, pieces, ending }, send, exchange) => {
    await send(...opening, ...pieces, ...ending);
    await endChunks(exchange);
  };
  return streamed(answer, whole, 'terminator');
}

/** Some events of the answer (default: half of them), then the connection closes. */
export function closeMidStream(answer: UpstreamAnswer = {}, after?: number): Reply {
  return streamed(answer, async ({ opening, pieces }, send, exchange) => {
    await send(...opening, ...pieces.slice(0, after ?? half(pieces)));
    exchange.socket.end();
  });
}

/** Some events of the answer (default: half of them), then nothing more. */
export function hangMidStream(answer: UpstreamAnswer = {}, after?: number): Reply {
  return streamed(answer, async ({ opening, pieces }, send, exchange) => {
    await send(...opening, ...pieces.slice(0, after ?? half(pieces)));
    await closed(exchange);
  });
}

/** Half of the response, then the rest on demand. */
export function pausedMidStream(answer: UpstreamAnswer, goOn: Promise<unknown>): Reply {
  return streamed(answer, async ({ opening, pieces, ending }, send, exchange) => {
    await send(...opening, ...pieces.slice(0, half(pieces)));
    await Promise.race([goOn, closed(exchange)]);
    await send(...pieces.slice(half(pieces)), ...ending);
    await endChunks(exchange);
  });
}

export function duplicateEnding(): Reply {
  return streamed({}, async ({ opening, pieces, ending }, send, exchange) => {
    await send(...opening, ...pieces, ...ending, ...ending);
    await endChunks(exchange);
  });
}

/** One line of `bytes` that is never terminated. */
export function longLine(bytes: number): Reply {
  return streamed({}, async ({ opening }, send, exchange) => {
    await send(...opening);
    await writeChunk(exchange, exchange.dialect.streamFormat === 'ndjson' ? '"' : 'data: ');
    const piece = Buffer.alloc(64 * 1024, 'x');
    for (let sent = 0; sent < bytes && !exchange.request.closed.aborted; sent += piece.byteLength) {
      await writeChunk(exchange, piece);
    }
    await endChunks(exchange);
  });
}
