import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Random } from '../driver/random.ts';

/** Ways in which a receiver fails a delivery. */
export type Behaviour = keyof typeof behaviours;

const MEGABYTE = 1_024 * 1_024;
// 300 MB once it is unpacked, and more than is read while it is not.
const bomb = gzipSync(Buffer.alloc(100 * MEGABYTE));

type Misbehave = (response: ServerResponse, request: IncomingMessage) => void;

const behaviours = {
  hang: () => undefined,
  reset: (_, { socket }) => socket.resetAndDestroy(),
  close: (_, { socket }) => socket.destroy(),
  fail: (response) => response.writeHead(500).end('out of order'),
  redirect: (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  throttle: (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
  flood: (response) => endless(response.writeHead(200, { 'content-length': 100 * MEGABYTE })),
  bomb: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  headers: (response) => response.writeHead(200, { 'x-flood': Array<string>(100).fill('x'.repeat(1_000)) }).end(),
  garbage: (_, { socket }) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  half: (response) => response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy()),
} satisfies Record<string, Misbehave>;

/** Those that take no time of the one that sends. */
const quick = (Object.keys(behaviours) as Behaviour[]).filter((name) => name !== 'hang' && name !== 'throttle');

/** A fault for so many in a hundred deliveries; one in fifty of these asks for a pause. */
export function quickFault(random: Random, percent: number): Behaviour | undefined {
  if (random.below(100) >= percent) return undefined;
  return random.below(50) === 0 ? 'throttle' : random.pick(quick);
}

export function misbehave(behaviour: Behaviour, request: IncomingMessage, response: ServerResponse): void {
  const act: Misbehave = behaviours[behaviour];
  act(response, request);
}

function endless(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1_024, 'x');
  let left = 100 * MEGABYTE;
  const write = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length;
      if (!response.write(piece)) {
        response.once('drain', write);
        return;
      }
    }
    response.end();
  };
  write();
}
