import type { WireReply } from '../output/reply.ts';

const encoder = new TextEncoder();

/** @param onCancel Called when nobody reads the body of the answer any more. */
export function toResponse({ status, headers, body }: WireReply, method: string, onCancel: () => void): Response {
  if (typeof body === 'object') return new Response(streamOf(body, onCancel), { status, headers });
  // As bytes, the body has a length that every host knows, and needs no second encoding.
  const bytes = body === undefined ? undefined : encoder.encode(body);
  if (bytes) headers['Content-Length'] = String(bytes.length);
  // 499 is for our log: the client that it is about is gone.
  return new Response(method === 'HEAD' ? null : (bytes ?? null), { status, headers });
}

/**
 * One piece for each time that the host asks, so that a client that reads slowly holds back what makes them. Not by
 * `ReadableStream.from`: it cannot stop a source that is waiting for its next piece, and not every runtime has it.
 */
function streamOf(pieces: AsyncIterable<string>, onCancel: () => void): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel() {
      onCancel();
      // It ends once the piece that is being made is there, or was given up; nobody waits for that.
      iterator.return?.().catch(() => undefined);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
