import { hostConformance, serveLocally } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-http.ts';

// The whole contract of the API, on a socket, through the server of this example.
hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    serve: (app) => serveLocally(app, embed(app), '/patchbay'),
  },
);
