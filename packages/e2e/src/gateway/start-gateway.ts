import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import apiKeys from '@patchbay/auth-api-key';
import { searchLogEntry } from '@patchbay/canaries';
import { type AppConfig, createApp } from '@patchbay/core';
import type { Clock, Logger } from '@patchbay/core/plugin';
import { createNodeListener } from '@patchbay/http';
import learnedRouter from '@patchbay/router-learned';
import { adminKey } from '../driver/server-process.ts';

/** A gateway on a socket, in the process of the test. */
export interface TestGateway {
  readonly url: string;
  post(path: string, body: object, signal?: AbortSignal): Promise<GatewayAnswer>;
  /** In the format of Prometheus. */
  metrics(): Promise<string>;
  /** Everything it has logged, errors with their causes. */
  log(): string;
  stop(): Promise<void>;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export async function startGateway(
  config: Pick<AppConfig, 'providers' | 'gateway' | 'storage'>,
  clock?: Clock,
): Promise<TestGateway> {
  const log: unknown[] = [];
  const write = (message: string, fields?: object) => {
    log.push({ message, ...fields });
    searchLogEntry(message, fields);
  };
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const keys = { use: apiKeys, with: { bootstrapKey: adminKey } };
  const base = {
    patchbay: 1,
    limits: { off: true },
    router: { use: learnedRouter },
    authenticators: { keys },
  } as const;
  const app = await createApp({ ...base, ...config }, { logger, ...(clock && { clock }) });
  const listener = createNodeListener(app);
  const server = createServer((message, response) => void listener(message, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    async post(path, body, signal) {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal ? { signal } : {}),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    metrics: () => app.host.metrics(),
    log: () => inspect(log, { depth: 20, maxStringLength: null, maxArrayLength: null }),
    async stop() {
      await app.host.stop(0);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
