import { apiConformance, createTestApp, hostConformance } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import { embed } from './embed-fetch.ts';

const url = 'http://localhost/patchbay';

hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    async serve(app) {
      const handle = embed(app);
      return { url, fetch: (request) => handle(request), stop: () => app.host.stop(100) };
    },
  },
);

// The whole contract of the API over fetch, where no server is in between; on a socket: `packages/e2e`.
const test = await createTestApp();
const handle = embed(test.app);
apiConformance({ describe, it }, { api: () => ({ url, token: test.token(), fetch: (request) => handle(request) }) });
afterAll(() => test.app.host.stop(0));
