// Patchbay under /patchbay of a server made with node:http.
import { createServer, type Server } from 'node:http';
import { type App, createApp, tenantId } from '@patchbay/core';
import { createNodeListener } from '@patchbay/http';
import demo from '@patchbay/provider-demo';

export function embed(app: App): Server {
  const patchbay = createNodeListener(app, {
    basePath: '/patchbay',
    // The caller, as your host knows it. Here: the cookie of user 42. Undefined: the token of the request is used.
    caller: ({ headers }) =>
      headers.cookie === 'session=42'
        ? { id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['models:read', 'gateway:invoke'] }
        : undefined,
  });
  return createServer((request, response) => {
    if (request.url?.startsWith('/patchbay/')) void patchbay(request, response);
    else response.end('Hello from the host.');
  });
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
