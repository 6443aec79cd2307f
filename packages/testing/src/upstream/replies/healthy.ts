import { endingOf, isStream } from '../dialects/dialect.ts';
import { beginChunks, type Exchange, endChunks, type Reply, respond, writeChunk } from '../exchange.ts';
import { completeAnswer, type UpstreamAnswer } from '../upstream-answer.ts';

/** Answers as the vendor would: chat, streamed chat or an embedding, whatever was asked for. */
export function healthy(answer: UpstreamAnswer = {}): Reply {
  return async (exchange) => {
    const { dialect, request } = exchange;
    const refused = dialect.refuse(request);
    if (refused) return respondJson(exchange, refused.body, refused.status);

    const result = dialect.answer(request, completeAnswer(answer));
    if (!isStream(result)) return respondJson(exchange, result);
    await beginChunks(exchange, { 'content-type': 'text/event-stream' });
    for (const event of [...result.opening, ...result.pieces, ...endingOf(result)]) {
      await writeChunk(exchange, eventText(event, dialect.lineEnd));
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

export function eventText(event: string, lineEnd: string): string {
  return `${event.replaceAll('\n', lineEnd)}${lineEnd}${lineEnd}`;
}
