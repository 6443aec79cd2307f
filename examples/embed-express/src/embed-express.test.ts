import { createServer } from 'node:http';
import { hostConformance, serveLocally } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-express.ts';

// The requirements of the API for its host, tested over a socket with the server of this example.
hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    serve: (app) => serveLocally(app, createServer(embed(app)), '/patchbay'),
  },
);
