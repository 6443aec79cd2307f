import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createNodeListener } from '@patchbay/http';
import { apiConformance, createTestApp } from '@patchbay/testing';
import express from 'express';
import { afterAll, describe, it } from 'vitest';

// Behind express.json(): what it takes, Patchbay takes from it. What it refuses, it answers itself.

const test = await createTestApp();
const host = express().use(express.json()).use('/patchbay', createNodeListener(test.app));
const server = host.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/patchbay`;

apiConformance({ describe, it }, { api: () => ({ url, token: test.token() }), topics: ['functions', 'gateway'] });

afterAll(async () => {
  await test.app.host.stop(0);
  server.closeAllConnections();
  server.close();
});
