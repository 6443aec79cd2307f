import { Agent, request } from 'node:http';

export interface ChunkTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Asks for a stream. */
  readonly body: string;
  /** Text that each piece of output contains exactly once. */
  readonly mark: string;
}

/**
 * Pieces of output per second of this many concurrent streams, each followed by the next. Throws if one is incomplete.
 */
export async function chunkRate(
  target: ChunkTarget,
  {
    connections,
    seconds,
    expected,
  }: { readonly connections: number; readonly seconds: number; readonly expected: number },
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const start = performance.now();
  const end = start + seconds * 1_000;
  let chunks = 0;
  const stream = async (): Promise<void> => {
    while (performance.now() < end) {
      const received = await countChunks(target, agent);
      if (received !== expected) throw new Error(`${target.url}: ${received} pieces instead of ${expected}`);
      chunks += received;
    }
  };
  await Promise.all(Array.from({ length: connections }, stream));
  const rate = chunks / ((performance.now() - start) / 1_000);
  agent.destroy();
  return rate;
}

function countChunks({ url, headers, body, mark }: ChunkTarget, agent: Agent): Promise<number> {
  const bytes = Buffer.from(mark);
  return new Promise((resolve, reject) => {
    const sending = request(
      url,
      { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url}: status ${response.statusCode}`));
        let count = 0;
        let rest: Buffer = Buffer.alloc(0);
        response.on('data', (piece: Buffer) => {
          const text = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
          let at = text.indexOf(bytes);
          let after = 0;
          while (at >= 0) {
            count += 1;
            after = at + bytes.length;
            at = text.indexOf(bytes, after);
          }
          // A mark may be cut in two.
          rest = text.subarray(Math.max(after, text.length - bytes.length + 1));
        });
        response.on('end', () => resolve(count));
        response.on('error', reject);
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}
