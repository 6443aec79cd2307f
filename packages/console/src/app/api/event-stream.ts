import { ApiError, type Problem } from './api-error.ts';

/** An event that the server sent. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

/**
 * Read server-sent events, until the stream ends.
 *
 * @throws ApiError for the event `error`, by which the server ends a stream that failed.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const chunk of piecesOf(body)) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readEvent(block);
      if (event === undefined) continue;
      if (event.event === 'error') throw new ApiError(event.data as Problem, 200);
      yield event;
    }
  }
}

// Not every browser iterates streams.
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      yield decoder.decode(piece.value, { stream: true });
    }
  } finally {
    await reader.cancel();
  }
}

function readEvent(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { event: fields.get('event') ?? 'message', data: JSON.parse(data), id: fields.get('id') };
}
