import type { AgentOptions, ClientRequestArgs, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { http } from '@patchbay/contracts/base/node-http';
import { openGuardedSocket, type SocketGuard } from '@patchbay/outbound/egress/open-guarded-socket';
import { hostOf } from './check-webhook-url.ts';
import { connectFault, type FailureCode } from './send-outcome.ts';

export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PostLimits {
  /** Milliseconds from the moment the connection is established to the first line of the response. */
  readonly answerMs: number;
  /** Milliseconds for the whole request. */
  readonly totalMs: number;
  /** Bytes of a response that are read. A longer one is truncated. */
  readonly maxResponseBytes: number;
}

/** The response to a POST, or why there is none. */
export interface PostAnswer {
  /** 0: no response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The fault that kept it from being complete. */
  readonly fault?: FailureCode;
  /** The connection was a reused one, which ended before it could be used again. */
  readonly stale?: boolean;
}

const MAX_HEADER_BYTES = 16 * 1024;

export interface PostOptions {
  readonly agent: GuardedAgent;
  readonly guard: SocketGuard;
  readonly limits: PostLimits;
  /**
   * Any of them ends it. Several, because a signal that combines them with `AbortSignal.any` would stay attached to the
   * longest-lived.
   */
  readonly signals: readonly AbortSignal[];
}

/** Send one request and read the response. Redirects are responses like any other. @throws The reason of the signal. */
export async function post({ url, headers, body }: PostRequest, parts: PostOptions): Promise<PostAnswer> {
  const { agent, guard, limits, signals } = parts;
  for (const signal of signals) signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>();
  const secure = url.protocol === 'https:';
  const options: GuardedRequestOptions = {
    agent,
    guard,
    secure,
    method: 'POST',
    host: hostOf(url),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, 'content-length': body.length, 'accept-encoding': 'identity' },
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const request = http.request(options);
  const pieces: Buffer[] = [];
  let response: IncomingMessage | undefined;
  let answerTimer: NodeJS.Timeout | undefined;
  let stage: 'connecting' | 'waiting' | 'reading' | 'over' = 'connecting';

  const end = (fault?: FailureCode): void => {
    if (stage === 'over') return;
    const stale = fault === 'connection_closed' && request.reusedSocket;
    leave();
    resolve({
      status: response?.statusCode ?? 0,
      headers: response?.headers ?? {},
      body: Buffer.concat(pieces),
      ...(fault === undefined ? {} : { fault }),
      ...(stale ? { stale } : {}),
    });
    // A complete response leaves its connection for the next request.
    if (fault !== undefined) request.destroy();
  };
  const leave = (): void => {
    stage = 'over';
    clearTimeout(answerTimer);
    clearTimeout(totalTimer);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  };
  const onAbort = (): void => {
    leave();
    reject(signals.find(({ aborted }) => aborted)?.reason);
    request.destroy();
  };
  const totalTimer = setTimeout(() => {
    end(stage === 'connecting' ? 'connect_timeout' : stage === 'waiting' ? 'answer_timeout' : 'response_timeout');
  }, limits.totalMs);
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });

  const onConnected = (): void => {
    if (stage !== 'connecting') return;
    stage = 'waiting';
    answerTimer = setTimeout(() => end('answer_timeout'), limits.answerMs);
  };
  request
    .on('socket', (socket: Socket) => {
      if (request.reusedSocket) onConnected();
      else socket.once(secure ? 'secureConnect' : 'connect', onConnected);
    })
    .on('error', (error: NodeJS.ErrnoException) => end(faultOf(error, stage)))
    // A response that requests another protocol takes the connection away from the request.
    .on('upgrade', (_, socket) => {
      socket.destroy();
      end('invalid_response');
    })
    .on('response', (incoming) => {
      response = incoming;
      stage = 'reading';
      clearTimeout(answerTimer);
      let length = 0;
      incoming
        .on('data', (piece: Buffer) => {
          length += piece.length;
          pieces.push(piece.subarray(0, Math.max(0, limits.maxResponseBytes - (length - piece.length))));
          if (length > limits.maxResponseBytes) end('response_too_large');
        })
        .on('end', () => end(incoming.complete ? undefined : 'response_broken'))
        .on('error', (error) => end(faultOf(error, 'reading')));
    })
    .end(body);
  return await promise;
}

function faultOf(error: NodeJS.ErrnoException, stage: 'connecting' | 'waiting' | 'reading' | 'over'): FailureCode {
  const { code = '' } = error;
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code.startsWith('HPE_')) return stage === 'reading' ? 'response_broken' : 'invalid_response';
  if (stage === 'reading') return 'response_broken';
  return stage === 'connecting' ? connectFault(code) : 'connection_closed';
}

/** The options of a request, with the guard for the socket that its agent opens. */
export interface GuardedRequestOptions extends ClientRequestArgs {
  readonly secure: boolean;
  readonly guard: SocketGuard;
}

const IDLE_MS = 4_000;
const MAX_IDLE_PER_HOST = 4;

/**
 * Keeps connections that were opened with a guard. An agent of Node's rather than a pool of undici's, because here the
 * socket of a request is known while it is being connected, and is closed immediately when the request is no longer
 * wanted.
 */
export class GuardedAgent extends http.Agent {
  constructor() {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE_PER_HOST, timeout: IDLE_MS });
  }

  /**
   * Close each connection once its request has ended, and the idle ones now: the settings under which they were opened
   * are no longer valid.
   */
  retire(): void {
    this.maxFreeSockets = 0;
    for (const socket of Object.values(this.freeSockets).flat()) socket?.destroy();
  }

  // An agent supports either http or https: they are separate classes.
  override getName(options?: AgentOptions & Partial<GuardedRequestOptions>): string {
    return `${options?.secure === true ? 'https' : 'http'}:${super.getName(options)}`;
  }

  override createConnection(
    options: ClientRequestArgs,
    connected: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const { host, port, secure, guard } = options as GuardedRequestOptions;
    return openGuardedSocket({ hostname: host ?? '', port: Number(port), secure }, guard, (...[error]) => {
      // Only a refused address gets here before the socket has been returned; other errors are the socket's.
      if (error) connected(error, undefined as never);
    });
  }
}
