import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A minimal load balancer: each request goes to the next replica that reports that it is ready. */
export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

const LOOK_MS = 1_000;

/** @param replicas Where the replicas are now; called at every check. */
export async function startBalancer(replicas: () => readonly string[], port: number): Promise<Balancer> {
  let ready = replicas();
  let turn = 0;
  const look = async (): Promise<void> => {
    const all = replicas();
    const answers = await Promise.all(
      all.map((url) =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    ready = all.filter((_, index) => answers[index]);
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  const server = createServer((incoming, answer) => {
    const target = ready[turn % ready.length];
    turn += 1;
    if (target === undefined) {
      answer.writeHead(503, { 'retry-after': '1' }).end();
      return;
    }
    const { method, headers, url = '/' } = incoming;
    const outgoing = request(new URL(url, target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, { ...response.headers, 'x-replica': target });
      response.pipe(answer);
    });
    outgoing.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
