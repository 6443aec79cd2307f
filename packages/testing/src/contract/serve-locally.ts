import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '@patchbay/core';
import type { ServedApi } from './api-under-test.ts';

/**
 * Have a `node:http` server as the host listen on a port of 127.0.0.1, and stop it as in production:
 * no new connections, then the app, then what is still connected.
 *
 * @param path Where the API is below the host, such as `/patchbay`. Default: at its root.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { describe, it } from 'node:test';
 * import { createNodeListener } from '@patchbay/http';
 * import { hostConformance, serveLocally } from '@patchbay/testing';
 *
 * hostConformance({ describe, it }, {
 *   serve: (app) => serveLocally(app, createServer(createNodeListener(app, { basePath: '/api' })), '/api'),
 * });
 * ```
 */
export async function serveLocally(app: App, server: Server, path = ''): Promise<ServedApi> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      await app.host.stop(100);
      server.closeAllConnections();
      await closed;
    },
  };
}
