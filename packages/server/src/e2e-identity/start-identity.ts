import apiKeys from '@patchbay/auth-api-key';
import { type App, type AppConfig, createApp } from '@patchbay/core';
import type { Clock, Logger } from '@patchbay/core/plugin';
import { type ApiOptions, createFetchHandler } from '@patchbay/http';

export const adminKey = 'admin-key-of-the-tests-0123456789';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers without naming every shape
  readonly json: any;
}

export interface Sending {
  /** Default: the admin key. Null: none. */
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address of the peer. */
  readonly from?: string;
}

export interface Identity {
  readonly app: App;
  readonly log: unknown[];
  send(method: string, path: string, options?: Sending): Promise<Answer>;
  /** Make a key and return its answer. */
  makeKey(input?: object, key?: string): Promise<{ readonly id: string; readonly key: string }>;
}

/** Time that tests move; the start is that of the machine. */
export function movingClock(): Clock & { advance(ms: number): void } {
  const start = Date.now();
  let passed = 0;
  return {
    now: () => start + passed,
    monotonic: () => passed,
    advance(ms) {
      passed += ms;
    },
  };
}

/** An app with the real authenticator of API keys, asked without a socket. */
export async function startIdentity(
  options: { readonly clock?: Clock; readonly config?: Partial<AppConfig>; readonly api?: ApiOptions } = {},
): Promise<Identity> {
  const log: unknown[] = [];
  const write = (message: string, fields?: object) => void log.push({ message, ...fields });
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const keys = { use: apiKeys, with: { bootstrapKey: adminKey } };
  const config: AppConfig = { patchbay: 1, authenticators: { keys }, ...options.config };
  const app = await createApp(config, { logger, ...(options.clock && { clock: options.clock }) });
  const peers = new WeakMap<Request, string>();
  const handle = createFetchHandler(app, { ...options.api, remoteAddress: (request) => peers.get(request) });

  const send: Identity['send'] = async (
    method,
    path,
    { key = adminKey, body, headers = {}, from = '192.0.2.1' } = {},
  ) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const credentials = key === null ? {} : { authorization: `Bearer ${key}` };
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { ...type, ...credentials, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    peers.set(request, from);
    const response = await handle(request);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  };

  return {
    app,
    log,
    send,
    async makeKey(input = {}, key = adminKey) {
      const { json, status } = await send('POST', '/keys', { key, body: { name: 'k', scopes: ['*'], ...input } });
      if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(json)}`);
      return json;
    },
  };
}
