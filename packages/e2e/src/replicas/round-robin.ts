import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer before replicas: each request goes to the next one. */
export interface RoundRobin {
  readonly url: string;
  /** How many requests each has got. */
  readonly counts: readonly number[];
  /** From now on these get the requests. */
  use(urls: readonly string[]): void;
  stop(): Promise<void>;
}

export async function startRoundRobin(urls: readonly string[]): Promise<RoundRobin> {
  let targets = urls;
  let counts = urls.map(() => 0);
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const index = turn % targets.length;
    turn += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    const { method, headers, url = '/' } = incoming;
    // A connection that a replica closes while it is taken again would look like a request that it failed.
    const outgoing = request(new URL(url, targets[index]), { method, headers, agent: false }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get counts() {
      return counts;
    },
    use(next) {
      targets = next;
      counts = next.map(() => 0);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
