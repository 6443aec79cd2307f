// Patchbay under /patchbay of a Fastify application.
import { type App, createApp, tenantId } from '@patchbay/core';
import { createNodeListener } from '@patchbay/http';
import demo from '@patchbay/provider-demo';
import createFastify, { type FastifyInstance, type FastifyRequest } from 'fastify';

export function embed(app: App): FastifyInstance {
  const host = createFastify();
  host.get('/', async () => 'Hello from the host.');
  const patchbay = createNodeListener(app, {
    basePath: '/patchbay',
    // The caller, as your host knows it. Here: the cookie of user 42. Undefined: the token of the request is used.
    caller: (_message, { headers }: FastifyRequest) =>
      headers.cookie === 'session=42'
        ? { id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['models:read', 'gateway:invoke'] }
        : undefined,
  });
  host.register(async (scope) => {
    // In this scope bodies are left to Patchbay, which reads them within its limits.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/patchbay/*', async (request, reply) => {
      reply.hijack();
      await patchbay(request.raw, reply.raw, request);
    });
  });
  // Before Fastify waits for the last answer: streams end when the time for them is over.
  host.addHook('preClose', () => app.host.stop());
  return host;
}

if (process.argv[1] === import.meta.filename) {
  const app = await createApp({ patchbay: 1, providers: { demo: { use: demo } } });
  const host = embed(app);
  console.log(`${await host.listen({ port: Number(process.env['PORT'] ?? 3000) })}/patchbay/docs`);
  process.once('SIGTERM', () => void host.close());
}
