import { createServer } from 'node:http';
import { hostConformance, serveLocally } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { embed } from './embed-koa.ts';

// The requirements of the API for its host, tested over a socket with the server of this example.
hostConformance(
  { describe, it },
  {
    session: { cookie: 'session=42' },
    // Koa would write each client that leaves to the console.
    serve(app) {
      const handle = Object.assign(embed(app), { silent: true }).callback();
      return serveLocally(
        app,
        createServer((message, response) => void handle(message, response)),
        '/patchbay',
      );
    },
  },
);
