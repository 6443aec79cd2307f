import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from './server-child.ts';

const piece =
  'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n';

/** A model provider whose streams have a first piece, and nothing more. */
export async function startSilentUpstream(): Promise<{ readonly url: string; stop(): void }> {
  const open: ServerResponse[] = [];
  const server = createServer((message, response) => {
    message.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(piece);
      open.push(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      for (const response of open) response.destroy();
      server.close();
    },
  };
}

/** A process that sends streams, and a request for one. */
export interface StreamServer {
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Bytes of a process for each of this many streams that sent a first piece and then stayed silent. Closes them again.
 */
export async function bytesPerStream({ pid, url, headers, body }: StreamServer, streams: number): Promise<number> {
  const opened: (() => void)[] = [];
  const openStream = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sending = request(url, { method: 'POST', headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (arrived: string) => {
          if (text.includes('Hello')) return;
          text += arrived;
          if (text.includes('Hello')) resolve();
          else if (response.statusCode !== 200) reject(new Error(text));
        });
        response.on('error', () => {});
      });
      sending.on('error', reject);
      sending.end(body);
      opened.push(() => sending.destroy());
    });
  const openMany = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 50)
      await Promise.all(Array.from({ length: Math.min(50, left) }, openStream));
  };
  // The heap has grown to its usual size by then.
  await openMany(streams / 4);
  await delay(1_000);
  const before = residentBytes(pid);
  await openMany(streams);
  await delay(1_000);
  const each = (residentBytes(pid) - before) / streams;
  for (const close of opened) close();
  return each;
}
