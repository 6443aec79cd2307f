import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Cut connections on which nothing has moved for a while, but not those whose client waits for us: a completion may take
 * longer than any client should be silent. A client that does not read its response is cut all the same.
 */
export function cutIdleConnections(server: Server): void {
  const waiting = new WeakSet<Socket>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.add(socket);
    response.once('close', () => waiting.delete(socket));
  });
  server.on('timeout', (socket) => {
    // The timer of a socket rings once.
    if (waiting.has(socket) && socket.writableLength === 0) socket.setTimeout(server.timeout);
    else socket.destroy();
  });
}
