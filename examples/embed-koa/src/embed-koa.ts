// Patchbay under /patchbay of a Koa application.
import { type App, createApp, tenantId } from '@patchbay/core';
import { createNodeListener } from '@patchbay/http';
import demo from '@patchbay/provider-demo';
import Koa, { type Context } from 'koa';

export function embed(app: App): Koa {
  const host = new Koa();
  const patchbay = createNodeListener(app, {
    basePath: '/patchbay',
    // The caller, as your host knows it. Here: the cookie of user 42. Undefined: the token of the request is used.
    caller: (_message, context: Context) =>
      context.cookies.get('session') === '42'
        ? { id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['models:read', 'gateway:invoke'] }
        : undefined,
  });
  // Before a body parser, which would answer malformed bodies itself; Patchbay reads its bodies, within its limits.
  host.use(async (context, next) => {
    if (!context.path.startsWith('/patchbay/')) return await next();
    context.respond = false;
    await patchbay(context.req, context.res, context);
  });
  host.use((context) => {
    context.body = 'Hello from the host.';
  });
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
