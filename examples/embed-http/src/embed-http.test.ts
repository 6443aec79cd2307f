import { hostConformance, serveLocally } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-http.ts';

// What the API needs of its host, on a socket, through the server of this example.
hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    serve: (app) => serveLocally(app, embed(app), '/patchbay'),
  },
);
