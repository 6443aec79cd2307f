import { type Dialect, endingOf, isStream } from '../dialects/dialect.ts';
import { beginChunks, type Exchange, endChunks, type Reply, respond, writeChunk } from '../exchange.ts';
import { completeAnswer, type UpstreamAnswer } from '../upstream-answer.ts';

/** Responds as the vendor would: chat, streamed chat or an embedding, whatever was asked for. */
export function healthy(answer: UpstreamAnswer = {}): Reply {
  return async (exchange) => {
    const { dialect, request } = exchange;
    const refused = dialect.refuse(request);
    if (refused) return respondJson(exchange, refused.body, refused.status);

    const result = dialect.answer(request, completeAnswer(answer));
    if (!isStream(result)) return respondJson(exchange, result);
    await beginChunks(exchange, streamHeaders(dialect));
    for (const event of [...result.opening, ...result.pieces, ...endingOf(result)]) {
      await writeChunk(exchange, eventText(event, dialect));
    }
    await endChunks(exchange);
  };
}

export function respondJson(
  exchange: Exchange,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  return respond(exchange, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

export function streamHeaders({ streamFormat }: Dialect): Readonly<Record<string, string>> {
  return { 'content-type': streamFormat === 'ndjson' ? 'application/x-ndjson' : 'text/event-stream' };
}

/** An event as it is sent, with its terminator. */
export function eventText(event: string, { lineEnd, streamFormat }: Pick<Dialect, 'lineEnd' | 'streamFormat'>): string {
  return event.replaceAll('\n', lineEnd) + (streamFormat === 'ndjson' ? lineEnd : lineEnd + lineEnd);
}
