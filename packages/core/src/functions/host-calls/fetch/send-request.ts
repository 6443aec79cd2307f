import type { Dispatcher } from 'undici';
import { PatchbayError } from '../../../contracts/errors.ts';
import type { GuardedConnections } from './guarded-connections.ts';
import { refused } from './read-request.ts';

/** One request on its way: with the secrets in it. */
export interface OutgoingFetch {
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
}

export interface FetchAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Of the connection that was used, or not true any more once the body is there as a whole. */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Send a request and read its answer whole. @throws PatchbayError `fetch_failed`, `fetch_too_large`; the signal's reason. */
export async function sendRequest(
  connections: GuardedConnections,
  { url, method, headers, body }: OutgoingFetch,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FetchAnswer> {
  try {
    const request = {
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers: [...headers.flat(), 'accept-encoding', 'identity'],
      body: body ?? null,
    };
    const answer = await connections.request(url.origin, request, signal);
    // Whoever stops reading makes it fail, which is nobody's business any more.
    answer.body.on('error', () => undefined);
    const received = Object.entries(answer.headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((each) => [name, each] as const),
    );
    const encoding = answer.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' || answer.statusCode < 200 || answer.statusCode > 599) {
      answer.body.destroy();
      throw failed('the host answered in a way that was not asked for');
    }
    return {
      status: answer.statusCode,
      statusText: answer.statusText ?? '',
      headers: received.filter(([name]) => !dropped.has(name)),
      body: await readWhole(answer.body, maxBytes),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw describeFailure(error);
  }
}

async function readWhole(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    length += piece.length;
    // Leaving the loop destroys the body, and its connection.
    if (length > maxBytes) throw new PatchbayError('fetch_too_large', `the answer has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** What went wrong, in words of our own: those of the system have addresses in them, which the code need not know. */
function describeFailure(error: unknown): PatchbayError {
  if (PatchbayError.is(error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('UND_ERR_INVALID') || code === 'UND_ERR_NOT_SUPPORTED') {
    return refused('the request cannot be sent: it has something in it that HTTP does not allow');
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return failed('the host has no address', error);
  if (/^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u.test(code)) {
    return failed('the host has no certificate that is trusted here', error);
  }
  return failed('the host did not answer, or broke its answer off', error);
}

export function failed(detail: string, cause?: unknown): PatchbayError {
  return new PatchbayError('fetch_failed', detail, { cause });
}
