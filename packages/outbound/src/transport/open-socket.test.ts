import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSocket } from './open-socket.ts';

it('a silent connection is kept alive every half minute', async () => {
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    keepAlive.mockRestore();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = Promise.withResolvers<Socket>();
  const route = {
    origin: new URL(`http://127.0.0.1:${port}`),
    resolve: async () => [],
    sessions: { latest: undefined },
    proxy: undefined,
  };
  openSocket(route, (error, socket) => (error ? opened.reject(error) : opened.resolve(socket)));
  const socket = await opened.promise;
  socket.destroy();
  expect(keepAlive.mock.contexts).toContain(socket);
  expect(keepAlive).toHaveBeenCalledWith(true, 30_000);
});
