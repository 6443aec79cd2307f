import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks that takes everything, and says with which headers it came. */
export interface HookReceiver {
  readonly url: string;
  /** The headers of the first message, once it is there. */
  next(): Promise<IncomingHttpHeaders>;
  stop(): Promise<void>;
}

export async function startHookReceiver(): Promise<HookReceiver> {
  const first = Promise.withResolvers<IncomingHttpHeaders>();
  const server = createServer((request, response) => {
    first.resolve(request.headers);
    request.resume();
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: () => first.promise,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
