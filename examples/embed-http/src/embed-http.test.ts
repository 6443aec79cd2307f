import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { hostConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-http.ts';

hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    async serve(app) {
      const server = embed(app).listen(0, '127.0.0.1');
      await once(server, 'listening');
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/patchbay`,
        async stop() {
          const closed = once(server, 'close');
          server.close();
          await app.stop(100);
          server.closeAllConnections();
          await closed;
        },
      };
    },
  },
);
