// Patchbay under /patchbay of an Express application.
import { type App, createApp, tenantId } from '@patchbay/core';
import { createNodeListener } from '@patchbay/http';
import demo from '@patchbay/provider-demo';
import express, { type Express } from 'express';

export function embed(app: App): Express {
  const host = express().disable('x-powered-by');
  host.get('/', (_request, response) => void response.send('Hello from the host.'));
  const patchbay = createNodeListener(app, {
    // The caller, as your host knows it. Here: the cookie of user 42. Undefined: the token of the request is used.
    caller: ({ headers }) =>
      headers.cookie === 'session=42'
        ? { id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['models:read', 'gateway:invoke'] }
        : undefined,
  });
  // Before express.json(), which would answer malformed bodies itself; Patchbay reads its bodies, within its limits.
  host.use('/patchbay', patchbay);
  host.use(express.json());
  return host;
}

if (process.argv[1] === import.meta.filename) {
  const app = await createApp({ patchbay: 1, providers: { demo: { use: demo } } });
  const port = Number(process.env['PORT'] ?? 3000);
  const server = embed(app).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/patchbay/docs`));
  process.once('SIGTERM', () => {
    server.close();
    void app.host.stop();
  });
}
