import { beginChunks, headText, type Reply, respond, writeChunk } from '../exchange.ts';

const json = { 'content-type': 'application/json' };

/** Resets the connection instead of answering. */
export function reset(): Reply {
  return ({ socket }) => {
    socket.resetAndDestroy();
  };
}

/** Closes the connection instead of answering. */
export function close(): Reply {
  return ({ socket }) => {
    socket.end();
  };
}

export function closeMidBody(): Reply {
  return async (exchange) => {
    await beginChunks(exchange, json);
    await writeChunk(exchange, '{"id":');
    exchange.socket.end();
  };
}

export function resetMidBody(): Reply {
  return async (exchange) => {
    await beginChunks(exchange, json);
    await writeChunk(exchange, '{"id":');
    exchange.socket.resetAndDestroy();
  };
}

/** Announces more than it sends, and closes. */
export function tooShort(): Reply {
  return async (exchange) => {
    await exchange.write(headText(exchange, 200, { ...json, 'content-length': '100' }));
    await exchange.write('{"id":1}');
    exchange.socket.end();
  };
}

/** Announces less than it sends. */
export function tooLong(): Reply {
  return (exchange) =>
    exchange.write(`${headText(exchange, 200, { ...json, 'content-length': '4' }).toString()}{"id":1}`);
}

/** Says that chunks follow, and sends something else. */
export function chunkGarbage(): Reply {
  return async (exchange) => {
    await beginChunks(exchange, json);
    await writeChunk(exchange, '{"id":');
    await exchange.write('zz\r\nnot a chunk\r\n');
  };
}

/** Answers in its own protocol. */
export function notHttp(): Reply {
  return (exchange) => exchange.write('SSH-2.0-OpenSSH_9.9\r\n');
}

/** Redirects the client. */
export function redirect(location: string, status = 307): Reply {
  return (exchange) => respond(exchange, { status, headers: { location } });
}
