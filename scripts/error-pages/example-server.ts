import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import apiKeys from '@patchbay/auth-api-key';
import { canary } from '@patchbay/canaries';
import { type App, type AppConfig, createApp } from '@patchbay/core';
import type { Clock, OptionSchema } from '@patchbay/core/plugin';
import { type ServerConfig, serverConfigSchema } from '@patchbay/server';
import { type RunningServer, startServer } from '../../packages/server/src/server.ts';
import type { Example } from './example.ts';

export interface ExampleServer {
  readonly app: App;
  readonly port: number;
  /** Send a request, and return what a page shows of it. */
  readonly refused: (method: string, path: string, request?: ExampleRequest) => Promise<Example>;
  /** Send a request that must succeed. @throws if it does not. */
  readonly done: (method: string, path: string, body?: unknown) => Promise<Readonly<Record<string, unknown>>>;
  /** Advances its clock. */
  pass(milliseconds: number): void;
  close(): Promise<void>;
}

export interface ExampleRequest {
  readonly body?: unknown;
  /** Bytes in place of a body. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a key that may do everything. `null`: no credentials. */
  readonly key?: unknown;
  /** Shown in place of method and path, and of what was sent. */
  readonly asked?: string;
}

const longest = 400;

/** The reference server, in this process and on a socket. */
export async function startExampleServer(
  config: Partial<AppConfig>,
  timeouts: Readonly<Record<string, number>> = {},
): Promise<ExampleServer> {
  const adminKey = canary('admin-key-of-the-examples');
  const silent = () => undefined;
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  let ahead = 0;
  const clock: Clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  const authenticators = { keys: { use: apiKeys, with: { bootstrapKey: adminKey } } };
  const app = await createApp({ patchbay: 1, authenticators, ...config }, { logger, clock });
  const server: RunningServer = await startServer(app, { ...defaults(), port: 0, ...timeouts });

  const send = async (method: string, path: string, { body, raw, headers, key = adminKey }: ExampleRequest = {}) =>
    await fetch(server.url + path, {
      method,
      headers: {
        ...(typeof key === 'string' && { authorization: `Bearer ${key}` }),
        ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...((body !== undefined || raw !== undefined) && { body: raw ?? JSON.stringify(body) }),
    });

  return {
    app,
    port: Number(new URL(server.url).port),
    async refused(method, path, request = {}) {
      const response = await send(method, path, request);
      const answer = (await response.json()) as object;
      const { body, raw, asked = `\`${method} ${path}\`` } = request;
      const sent = request.asked === undefined && JSON.stringify(body)?.length <= longest ? body : undefined;
      const wait = Number(response.headers.get('retry-after'));
      return {
        asked: raw === undefined || request.asked !== undefined ? asked : `${asked} with \`${raw}\``,
        answer,
        ...(sent !== undefined && { sent }),
        ...(wait > 0 && { retryAfter: wait }),
      };
    },
    async done(method, path, body) {
      const response = await send(method, path, { body });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
      return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
    },
    pass: (milliseconds) => {
      ahead += milliseconds;
    },
    close: async () => await server.close(),
  };
}

/** The section `server` with nothing set. */
function defaults(): ServerConfig {
  return defaultsOf(serverConfigSchema.properties) as unknown as ServerConfig;
}

function defaultsOf(properties: Readonly<Record<string, OptionSchema>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { properties: nested, default: value }]) => [
      name,
      nested ? defaultsOf(nested) : value,
    ]),
  );
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'patchbay-examples-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
