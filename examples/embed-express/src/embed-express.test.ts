import { createServer } from 'node:http';
import { hostConformance, serveLocally } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-express.ts';

// What the API needs of its host, on a socket, through the server of this example.
hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    serve: (app) => serveLocally(app, createServer(embed(app)), '/patchbay'),
  },
);
