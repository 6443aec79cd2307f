// Patchbay under /patchbay of a Hono application, here on Node.
import { serve } from '@hono/node-server';
import { type App, createApp, tenantId } from '@patchbay/core';
import { createFetchHandler } from '@patchbay/http';
import demo from '@patchbay/provider-demo';
import { type Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';

export function embed(app: App): Hono {
  const host = new Hono();
  host.get('/', (context) => context.text('Hello from the host.'));
  const patchbay = createFetchHandler(app, {
    basePath: '/patchbay',
    // The caller, as your host knows it. Here: the cookie of user 42. Undefined: the token of the request is used.
    caller: (_request, context: Context) =>
      getCookie(context, 'session') === '42'
        ? { id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['models:read', 'gateway:invoke'] }
        : undefined,
    remoteAddress: (_request, { env }: Context) => env.incoming?.socket.remoteAddress,
  });
  // Not `host.mount`, which silently strips the prefix from the path.
  host.all('/patchbay/*', (context) => patchbay(context.req.raw, context));
  return host;
}

if (process.argv[1] === import.meta.filename) {
  const app = await createApp({ patchbay: 1, providers: { demo: { use: demo } } });
  const port = Number(process.env['PORT'] ?? 3000);
  const server = serve({ fetch: embed(app).fetch, port, hostname: '127.0.0.1' });
  console.log(`http://127.0.0.1:${port}/patchbay/docs`);
  process.once('SIGTERM', () => {
    server.close();
    void app.host.stop();
  });
}
