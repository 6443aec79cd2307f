import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { verify } from '@patchbay/client/webhooks';
import { type Behaviour, misbehave } from './behaviours.ts';

/** A scripted receiver of webhooks, which records the events it accepted. */
export interface Receiver {
  readonly name: string;
  readonly url: string;
  /** How often each event was taken, by what it is about. */
  readonly taken: ReadonlyMap<string, number>;
  /** Attempts so far, by what was done to them. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Violations that a receiver detected: wrong signatures, events under two ids. */
  readonly faults: readonly string[];
  secret: string;
  /** Called with each attempt: what to do instead of taking it. */
  behave: (attempt: number) => Behaviour | undefined;
  /** Called when an event was taken. */
  onTaken: () => void;
  close(): Promise<void>;
}

interface EventOfFunction {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly functionId?: string; readonly version?: number };
}

/** The subject of an event: the same for every attempt, and unique per event. */
export function subjectOf(functionId: string, version: number): string {
  return `${functionId}#${version}`;
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export async function startReceiver(name: string, tls?: Certificate) {
  const taken = new Map<string, number>();
  const attempts = new Map<string, number>();
  const ids = new Map<string, string>();
  const seen = new Map<string, number>();
  const faults: string[] = [];
  const count = (what: string) => attempts.set(what, (attempts.get(what) ?? 0) + 1);

  const listener: RequestListener = (request, response) => {
    void take(request).then((event) => {
      if (typeof event === 'string') {
        faults.push(event);
        response.writeHead(400).end();
        return;
      }
      const { functionId = '', version = 0 } = event.data;
      const subject = subjectOf(functionId, version);
      const known = ids.get(subject) ?? event.id;
      if (known !== event.id) faults.push(`${subject} is ${known} and ${event.id}`);
      ids.set(subject, event.id);
      const attempt = (seen.get(event.id) ?? 0) + 1;
      seen.set(event.id, attempt);
      const behaviour = receiver.behave(attempt);
      count(behaviour ?? 'take');
      if (behaviour !== undefined) {
        misbehave(behaviour, request, response);
        return;
      }
      taken.set(subject, (taken.get(subject) ?? 0) + 1);
      response.writeHead(204).end();
      receiver.onTaken();
    });
  };
  const take = async (request: IncomingMessage): Promise<EventOfFunction | string> => {
    try {
      const pieces: Buffer[] = [];
      for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
      return (await verify(Buffer.concat(pieces), request.headers, receiver.secret)) as EventOfFunction;
    } catch (error) {
      return `a delivery was refused: ${String(error)}`;
    }
  };

  const secure = tls && createHttpsServer(tls, listener).on('tlsClientError', () => count('TLS error'));
  const server: Server = secure ?? createHttpServer(listener);
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver & { trust(certificate: Certificate): void } = {
    name,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/`,
    taken,
    attempts,
    faults,
    secret: '',
    behave: () => undefined,
    onTaken: () => undefined,
    trust: (certificate) => secure?.setSecureContext(certificate),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
