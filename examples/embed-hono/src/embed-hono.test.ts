import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { hostConformance, serveLocally } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-hono.ts';

// The requirements of the API for its host, tested over a socket with the server of this example.
hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    serve: (app) => serveLocally(app, createAdaptorServer({ fetch: embed(app).fetch }) as Server, '/patchbay'),
  },
);
