import { Agent, request } from 'node:http';

/** A streamed chat, and the text of its first event that has output. */
export interface StreamTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly firstOutput: string;
}

/** Milliseconds from sending a request until its first output, over a connection that is kept. */
export function firstTokenTimer({ url, headers: given, body, firstOutput }: StreamTarget): () => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { ...given, 'content-length': Buffer.byteLength(body) };
  return () =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      let milliseconds: number | undefined;
      let text = '';
      const sending = request(url, { agent, method: 'POST', headers }, (response) => {
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
          if (text.includes(firstOutput)) milliseconds ??= performance.now() - start;
        });
        response.on('end', () => {
          if (milliseconds === undefined) reject(new Error(`${url}: ${response.statusCode} ${text}`));
          else resolve(milliseconds);
        });
      });
      sending.on('error', reject);
      sending.end(body);
    });
}
