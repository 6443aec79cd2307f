import { eventsOf } from './events-of.ts';
import { headersOf, type Message } from './request-headers.ts';

/** A client that writes a message per line, and a server of the protocol over HTTP. */
export interface BridgeOptions {
  /** The messages of the client. */
  readonly lines: AsyncIterable<string>;
  /** Writes a message to the client, without a line end. */
  readonly write: (line: string) => void;
  /** Sends a message to the server. */
  readonly send: (init: RequestInit) => Promise<Response>;
}

/**
 * Connect a client that uses standard input and output with a server that uses HTTP, in any revision: messages
 * are passed on unchanged. Resolves when the client has closed its end; what is in progress then is cancelled.
 */
export async function bridge({ lines, write, send }: BridgeOptions): Promise<void> {
  const inProgress = new Map<unknown, AbortController>();
  const connection: Connection = {};
  const work = new Set<Promise<void>>();

  const pass = async (message: Message): Promise<void> => {
    const { id } = message;
    const controller = new AbortController();
    if (id !== undefined) inProgress.set(id, controller);
    try {
      const response = await send({
        method: 'POST',
        headers: headersOf(message, connection),
        body: JSON.stringify(message),
        signal: controller.signal,
      });
      connection.session ??= response.headers.get('mcp-session-id') ?? undefined;
      for await (const received of messagesOf(response)) {
        const answer = id !== undefined && received.id === null ? { ...received, id } : received;
        connection.version ??= versionIn(message, answer);
        if (!controller.signal.aborted) write(JSON.stringify(answer));
      }
    } catch (error) {
      if (!controller.signal.aborted && id !== undefined) write(unreachable(id, error));
    } finally {
      if (inProgress.get(id) === controller) inProgress.delete(id);
    }
  };

  for await (const line of lines) {
    const message = parse(line);
    if (message === undefined) {
      if (line.trim() !== '') write(malformed);
      continue;
    }
    // Closing its request is how a call over HTTP is cancelled.
    if (message.method === 'notifications/cancelled') inProgress.get(message.params?.['requestId'])?.abort();
    else {
      const passed = pass(message);
      work.add(passed);
      void passed.finally(() => work.delete(passed));
      // The messages that follow a handshake need what was negotiated.
      if (message.method === 'initialize') await passed;
    }
  }
  for (const controller of inProgress.values()) controller.abort();
  await Promise.all(work);
}

/** The negotiated values of a handshake. */
export interface Connection {
  version?: string | undefined;
  session?: string | undefined;
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

async function* messagesOf(response: Response): AsyncGenerator<Message> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) {
    for await (const data of eventsOf(response.body)) yield JSON.parse(data) as Message;
  } else if (type.includes('json')) {
    const body = (await response.json()) as Message;
    if (body.jsonrpc !== undefined) yield body;
    else throw new Error(`the server responds with ${response.status}: is its address right?`);
  } else if (!response.ok) throw new Error(`the server responds with ${response.status}: is its address right?`);
}

function versionIn({ method }: Message, { result }: Message): string | undefined {
  if (method !== 'initialize') return undefined;
  const version = result?.['protocolVersion'];
  return typeof version === 'string' ? version : undefined;
}

const malformed = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_700, message: 'each line must be one message, a JSON object' },
});

function unreachable(id: unknown, error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: unknown } };
  const reason = typeof cause?.code === 'string' ? `the server cannot be reached: ${cause.code}` : message;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: reason } });
}
