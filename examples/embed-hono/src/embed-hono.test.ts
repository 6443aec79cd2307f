import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { hostConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-hono.ts';

hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    async serve(app) {
      const server = createAdaptorServer({ fetch: embed(app).fetch });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/patchbay`,
        async stop() {
          const closed = once(server, 'close');
          server.close();
          await app.stop(100);
          if ('closeAllConnections' in server) server.closeAllConnections();
          await closed;
        },
      };
    },
  },
);
