import { setTimeout as delay } from 'node:timers/promises';
import { echo } from '../../driver/sample-functions.ts';
import { adminKey, ask } from '../../driver/server-process.ts';
import { slowly, upstreamText } from './guarded-upstream.ts';

/** Requests of the load. Each returns what was wrong with its answer. */
export type Load = Readonly<Record<string, () => Promise<string | undefined>>>;

export interface LoadOptions {
  readonly url: string;
  /** Milliseconds between two pieces of a stream that lasts over several reloads. */
  readonly pieceMs: number;
  /** Milliseconds after which a run that lasts asks a model. */
  readonly thinkMs: number;
}

const POLL_MS = 100;
const PATIENCE_MS = 120_000;

export async function createLoad({ url, pieceMs, thinkMs }: LoadOptions): Promise<Load> {
  const server = { url };
  const make = async (source: object): Promise<string> => {
    const { status, body } = await ask(server, 'POST', '/functions', source);
    if (status !== 201) throw new Error(`a function was not made: ${status} ${JSON.stringify(body)}`);
    return `/functions/${String(body['id'])}`;
  };
  const plain = await make(echo);
  const asking = await make({
    ...echo,
    name: 'Ask',
    code: `export default async ({ ms }, { ai }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      const { text } = await ai.generate({ model: 'main/twin', prompt: 'Say it.' });
      return { text };
    }`,
  });

  const get = (path: string, isGood: (body: Record<string, unknown>) => boolean) => async () => {
    const { status, body } = await ask(server, 'GET', path);
    return status === 200 && isGood(body) ? undefined : fault(status, body);
  };
  const chat = async (model: string | undefined, content: string): Promise<string | undefined> => {
    const { status, body } = await ask(server, 'POST', '/chat', {
      ...(model !== undefined && { model }),
      messages: [{ role: 'user', content }],
    });
    const { content: text } = (body['message'] ?? {}) as { content?: string };
    return status === 200 && text === upstreamText ? undefined : fault(status, body);
  };
  const stream = async (content: string): Promise<string | undefined> => {
    const response = await fetch(`${url}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'main/twin', stream: true, messages: [{ role: 'user', content }] }),
    });
    const text = await response.text();
    const isWhole = /^event: done$/m.test(text) && text.includes(JSON.stringify(upstreamText));
    return response.status === 200 && isWhole ? undefined : fault(response.status, text);
  };
  const execute = async (path: string, input: object, output: object): Promise<string | undefined> => {
    const { status, body } = await ask(server, 'POST', `${path}/execute`, { input });
    const isGood = status === 200 && JSON.stringify(body['output']) === JSON.stringify(output);
    return isGood ? undefined : fault(status, body);
  };
  const queue = async (path: string, input: object, output: object): Promise<string | undefined> => {
    const { status, body } = await ask(server, 'POST', `${path}/execute`, { input }, { prefer: 'respond-async' });
    if (status !== 202) return fault(status, body);
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const read = await ask(server, 'GET', `/executions/${String(body['id'])}`);
      const state = String(read.body['status']);
      if (state === 'completed' && JSON.stringify(read.body['output']) === JSON.stringify(output)) return undefined;
      const waits = state === 'queued' || state === 'running';
      if (!waits || performance.now() > deadline) return fault(read.status, read.body);
      await delay(POLL_MS);
    }
  };

  return {
    chat: () => chat('main/twin', 'Hello'),
    automaticChat: () => chat(undefined, 'Hello'),
    stream: () => stream('Hello'),
    longStream: () => stream(`Hello ${slowly(pieceMs)}`),
    async embed() {
      const { status, body } = await ask(server, 'POST', '/embeddings', { model: 'main/vectors', text: 'Hello' });
      return status === 200 && Array.isArray(body['embedding']) ? undefined : fault(status, body);
    },
    execute: () => execute(plain, { a: 1 }, { a: 1 }),
    longExecute: () => execute(asking, { ms: thinkMs }, { text: upstreamText }),
    queuedExecute: () => queue(plain, { a: 2 }, { a: 2 }),
    longQueuedExecute: () => queue(asking, { ms: thinkMs }, { text: upstreamText }),
    listFunctions: get('/functions', ({ data }) => Array.isArray(data) && data.length >= 2),
    listExecutions: get(`${plain}/executions`, ({ data }) => Array.isArray(data)),
    listModels: get('/models', ({ data }) => JSON.stringify(data).includes('main/twin')),
  };
}

function fault(status: number, body: unknown): string {
  return `${status} ${(typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 400)}`;
}
