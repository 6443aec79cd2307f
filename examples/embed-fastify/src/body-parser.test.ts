import { createNodeListener } from '@patchbay/http';
import { apiConformance, createTestApp } from '@patchbay/testing';
import createFastify, { type FastifyRequest } from 'fastify';
import { afterAll, describe, it } from 'vitest';

// With Fastify's own parser left in place: what it takes, Patchbay takes from it. What it refuses, it answers itself.

const test = await createTestApp();
const host = createFastify();
const patchbay = createNodeListener(test.app, { basePath: '/patchbay', body: (_, { body }: FastifyRequest) => body });
host.all('/patchbay/*', async (request, reply) => {
  reply.hijack();
  await patchbay(request.raw, reply.raw, request);
});
const url = `${await host.listen({ port: 0, host: '127.0.0.1' })}/patchbay`;

apiConformance({ describe, it }, { api: () => ({ url, token: test.token() }), topics: ['functions', 'gateway'] });

afterAll(async () => {
  await test.app.host.stop(0);
  host.server.closeAllConnections();
  await host.close();
});
