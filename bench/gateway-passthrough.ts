import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

// The baseline of `gateway-throughput.ts`: the minimum that a proxy in Node can do. It forwards the bytes of both sides
// without reading them.

const pool = new Pool(process.argv[2] ?? '', { connections: Number(process.argv[3] ?? 256) });
const server = createServer((request, response) => {
  const { url = '/', headers } = request;
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const options = {
      path: url,
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: Buffer.concat(pieces),
    } as const;
    pool.stream(
      options,
      ({ statusCode, headers: answered }) => response.writeHead(statusCode, answered),
      (error) => {
        if (error) response.destroy(error);
      },
    );
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`passthrough listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
