import { hostConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-fastify.ts';

hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    async serve(app) {
      const host = embed(app);
      return {
        url: `${await host.listen({ port: 0, host: '127.0.0.1' })}/patchbay`,
        async stop() {
          // Sooner than the hook of the host would: it waits for the same.
          const stopped = app.host.stop(100);
          const closed = host.close();
          await stopped;
          // The client of this test keeps a connection that it has sent nothing on, which Node does not take for idle.
          host.server.closeAllConnections();
          await closed;
        },
      };
    },
  },
);
