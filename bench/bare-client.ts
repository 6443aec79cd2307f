import { once } from 'node:events';
import { connect } from 'node:net';
import { key } from './server-child.ts';

/** A connection that sends requests one after the other. */
export interface BareClient {
  /**
   * The request is written beforehand, and only the status and length of the response are read: with a client that does
   * more, an occasional request measures that client, whose code is as cold as the server's. `fetch` alone takes a millisecond.
   *
   * @returns Milliseconds from the first byte out to the last one in. Throws where the status is not 200.
   */
  ask(request: Buffer): Promise<number>;
  close(): void;
}

export function requestBytes(method: string, path: string, body?: unknown): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${key}`];
  if (body !== undefined) head.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}

export async function openBareClient(url: string): Promise<BareClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  return {
    async ask(request) {
      const start = performance.now();
      socket.write(request);
      let response = Buffer.alloc(0);
      while (!isComplete(response)) {
        const [chunk] = (await once(socket, 'data')) as [Buffer];
        response = Buffer.concat([response, chunk]);
      }
      const took = performance.now() - start;
      if (!response.subarray(0, 12).equals(OK)) throw new Error(response.toString());
      return took;
    },
    close: () => socket.destroy(),
  };
}

const OK = Buffer.from('HTTP/1.1 200');

function isComplete(response: Buffer): boolean {
  const end = response.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /content-length: (?<bytes>\d+)/iu.exec(response.toString('latin1', 0, end))?.groups?.['bytes'];
  if (length === undefined) throw new Error('the response does not say how long it is');
  return response.length >= end + 4 + Number(length);
}
