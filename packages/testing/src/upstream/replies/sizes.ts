import { gzipSync } from 'node:zlib';
import { beginChunks, endChunks, headText, type Reply, writeChunk } from '../exchange.ts';
import { body } from './bodies.ts';

const PIECE = Buffer.alloc(64 * 1024, ' ');
const MEMBER_BYTES = 10 * 1024 * 1024;

/** A body of spaces with a declared length. */
export function largeBody(bytes: number): Reply {
  return async (exchange) => {
    await exchange.write(
      headText(exchange, 200, { 'content-type': 'application/json', 'content-length': String(bytes) }),
    );
    for (let sent = 0; sent < bytes && !exchange.request.closed.aborted; sent += PIECE.byteLength) {
      await exchange.write(PIECE.subarray(0, bytes - sent));
    }
  };
}

/** A body of spaces without a declared length. */
export function largeChunkedBody(bytes: number): Reply {
  return async (exchange) => {
    await beginChunks(exchange, { 'content-type': 'application/json' });
    for (let sent = 0; sent < bytes && !exchange.request.closed.aborted; sent += PIECE.byteLength) {
      await writeChunk(exchange, PIECE.subarray(0, bytes - sent));
    }
    await endChunks(exchange);
  };
}

/** Some KB that expand to `bytes`, rounded up to 10 MiB. Compressed when played: most lists of faults never are. */
export function gzipBomb(bytes: number): Reply {
  return (exchange) => {
    // A gzip file may have many members, so the zeros need to be compressed only once.
    const member = gzipSync(Buffer.alloc(Math.min(bytes, MEMBER_BYTES)));
    const members = Array.from({ length: Math.ceil(bytes / MEMBER_BYTES) }, () => member);
    return body(Buffer.concat(members), { headers: { 'content-encoding': 'gzip' } })(exchange);
  };
}

/** A valid JSON response, compressed although the request did not accept it. */
export function packed(): Reply {
  return body(gzipSync('{"ok":true}'), { headers: { 'content-encoding': 'gzip' } });
}

export function hugeHeader(bytes: number): Reply {
  return body('{}', { headers: { 'x-huge': 'h'.repeat(bytes) } });
}

export function manyHeaders(count: number): Reply {
  return body('{}', { headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, '1'])) });
}
