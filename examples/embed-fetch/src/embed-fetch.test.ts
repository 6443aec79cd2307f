import { hostConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-fetch.ts';

hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    async serve(app) {
      const handle = embed(app);
      const url = 'http://localhost/patchbay';
      return { url, fetch: (request) => handle(request), stop: () => app.host.stop(100) };
    },
  },
);
