import { mkdtempSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import apiKeys from '@patchbay/auth-api-key';
import { createApp } from '@patchbay/core';
import { definePlugin } from '@patchbay/core/plugin';
import sqlite from '@patchbay/store-sqlite';
import { bodyOf, createNodeListener, defineOperation, definePublicOperation } from '../packages/http/src/index.ts';
import { createLogger } from '../packages/server/src/logger.ts';
import openai from '../plugins/provider-openai/src/index.ts';
import { type Stage, stages } from './hot-path-stages.ts';
import { key } from './server-child.ts';

// One rung of `hot-path.ts`: a server that does everything up to a stage, and nothing behind it.

const [stage, upstream = ''] = process.argv.slice(2) as [Stage, string?];
const does = (other: Stage): boolean => stages.indexOf(stage) >= stages.indexOf(other);

const answer = { message: { role: 'assistant', content: 'Hello! How can I help you today?' } };
const text = JSON.stringify(answer);
const reply = { json: answer };
const success = { status: 200, description: 'The answer.' };
const row = { area: 'gateway', summary: 'Bench', success, errors: [] } as const;

const operations = [
  definePublicOperation({
    ...row,
    id: 'pipeline',
    method: 'GET',
    path: '/pipeline',
    scope: 'public',
    handle: async () => reply,
  }),
  defineOperation({
    ...row,
    id: 'credentials',
    method: 'GET',
    path: '/credentials',
    scope: 'gateway:invoke',
    handle: async () => reply,
  }),
  defineOperation({
    ...row,
    id: 'body',
    method: 'POST',
    path: '/body',
    scope: 'gateway:invoke',
    limit: 'model',
    body: bodyOf<object>({ schema: 'ChatRequest', limitBytes: 10_000 }),
    handle: async () => reply,
  }),
  'chat',
] as const;

const usage = { uncachedInputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 9, reasoningTokens: 0 };
const instant = definePlugin({
  name: 'bench-provider',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  create: () => ({
    models: async () => [{ name: 'gpt-4.1', capabilities: ['chat'], pricing: { input: 1, output: 2 } }],
    chat: async () => ({ content: answer.message.content, finishReason: 'stop', usage }),
  }),
});

async function listener(): Promise<RequestListener> {
  if (stage === 'socket') {
    return (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(text);
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-bench-'));
  const models = { use: openai, with: { apiKey: 'sk-bench', catalogue: true, baseUrl: `${upstream}/v1` } };
  const app = await createApp(
    {
      patchbay: 1,
      ...(does('commits') && { storage: { use: sqlite, with: { file: 'patchbay.db' } } }),
      authenticators: { keys: { use: apiKeys, with: { bootstrapKey: key } } },
      providers: { openai: does('upstream') ? models : { use: instant } },
      secret: 'a root secret that is long enough.',
      limits: does('limits') ? plenty() : { off: true },
    },
    { directory: folder, logger: createLogger(join(folder, 'server.log')) },
  );
  const listen = createNodeListener(app, { operations });
  return (message, response) => void listen(message, response);
}

function plenty() {
  const most = { requests: 1_000_000_000, seconds: 1, burst: 1_000_000_000 };
  const rates = { all: most, execute: most, model: most };
  return { key: { ...rates, budget: { usd: 1_000_000, period: 'month' } }, tenant: rates } as const;
}

const server = createServer(await listener());
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`${stage} listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
