import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { openGuardedSocket, type SocketGuard } from '../../egress/open-guarded-socket.ts';

/** What a request tells its agent, beside what requests tell anyway. */
export interface GuardedRequestOptions extends ClientRequestArgs {
  readonly secure: boolean;
  readonly guard: SocketGuard;
}

const IDLE_MS = 4_000;
const MAX_IDLE_PER_HOST = 4;

/**
 * Keeps connections that were opened with a guard. An agent of Node's rather than a pool of undici's, because here the
 * socket of a request is known while it is being connected, and is closed at once when the request is not wanted any more.
 */
export class GuardedAgent extends Agent {
  constructor() {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE_PER_HOST, timeout: IDLE_MS });
  }

  // An agent does not tell http from https by itself, as there are two classes for them.
  override getName(options?: AgentOptions & Partial<GuardedRequestOptions>): string {
    return `${options?.secure === true ? 'https' : 'http'}:${super.getName(options)}`;
  }

  override createConnection(
    options: ClientRequestArgs,
    connected: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const { host, port, secure, guard } = options as GuardedRequestOptions;
    return openGuardedSocket({ hostname: host ?? '', port: Number(port), secure }, guard, (...[error]) => {
      // Only an address that is refused comes here before the socket has been returned; other errors are the socket's.
      if (error) connected(error, undefined as never);
    });
  }
}
