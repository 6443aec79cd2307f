import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where functions leave a trace of each run, so that a second one under the same key would show. */
export interface Traces {
  readonly url: string;
  /** How often each text was left. */
  readonly counts: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export async function startTraces(): Promise<Traces> {
  const counts = new Map<string, number>();
  const server = createServer(({ url = '/' }, response) => {
    const text = decodeURIComponent(url.slice(1));
    counts.set(text, (counts.get(text) ?? 0) + 1);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
