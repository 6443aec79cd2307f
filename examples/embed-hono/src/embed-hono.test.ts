import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { hostConformance, serveLocally } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-hono.ts';

// What the API needs of its host, on a socket, through the server of this example.
hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    serve: (app) => serveLocally(app, createAdaptorServer({ fetch: embed(app).fetch }) as Server, '/patchbay'),
  },
);
