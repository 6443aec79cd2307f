import { connect } from 'node:net';
import { formatFault } from '../driver/format-fault.ts';
import { createRandom } from '../driver/random.ts';
import { parseAnswer } from '../driver/raw-answer.ts';
import { echo, summarize } from '../driver/sample-functions.ts';
import { type Answer, adminKey, ask, type ServerProcess } from '../driver/server-process.ts';
import { compatibleRequests } from './compatible-requests.ts';
import { mcpRequests } from './mcp-requests.ts';
import { type FuzzRequest, mutateRequest, type ValidRequest } from './mutate-request.ts';

export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  /** How often each status, or code of a problem, was the answer. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Requests that were answered as no request may be, or not at all. */
  readonly faults: readonly string[];
}

const ANSWER_TIMEOUT_MS = 60_000;
const WORKERS = 4;

/** Send so many mutated requests, some at a time, and judge every answer. The seed says which. */
export async function runFuzz(server: ServerProcess, seed: number, requests: number): Promise<FuzzReport> {
  const outcomes: Record<string, number> = {};
  const faults: string[] = [];
  const worker = async (number: number): Promise<void> => {
    // Each its own, so that who is faster does not change what is sent.
    const random = createRandom(seed * WORKERS + number);
    let left = Math.ceil((requests - number) / WORKERS);
    while (left > 0) {
      const valid = await validRequests(server);
      for (const each of valid) {
        if (left-- <= 0) return;
        const request = mutateRequest(each, random);
        const answer = await send(server.port, request).catch((error: Error) => error);
        const fault = answer instanceof Error ? answer.message : faultOf(answer);
        const outcome = answer instanceof Error ? 'no answer' : outcomeOf(answer);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        if (fault !== undefined) faults.push(`${fault}: ${JSON.stringify(request).slice(0, 2_000)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, number) => worker(number)));
  return { seed, requests, outcomes, faults };
}

/** One of each operation, on a function that is there. */
async function validRequests(server: ServerProcess): Promise<readonly ValidRequest[]> {
  const { body } = await ask(server, 'POST', '/functions', summarize);
  const path = `/functions/${String(body['id'])}`;
  const execution = await ask(server, 'POST', `${path}/execute`, { input: { text: 'a. b' } });
  const ended = `/executions/${String(execution.body['id'])}`;
  const async = { prefer: 'respond-async' };
  const queued = await ask(server, 'POST', `${path}/execute`, { input: { text: 'a. b' } }, async);
  return [
    { method: 'GET', path: '/functions', query: '?limit=5&offset=0&sort=name&order=asc' },
    { method: 'POST', path: '/functions', body: summarize },
    { method: 'POST', path: '/functions', body: echo },
    { method: 'GET', path },
    { method: 'PUT', path, body: summarize },
    { method: 'PUT', path, body: echo },
    { method: 'POST', path: `${path}/execute`, body: { input: { text: 'a. b', maxPoints: 1 } } },
    { method: 'POST', path: '/functions/test', body: { function: sourceOf(summarize), input: { text: 'a. b' } } },
    { method: 'GET', path: `${path}/executions`, query: '?limit=5' },
    { method: 'GET', path: `${path}/versions`, query: '?limit=5' },
    { method: 'GET', path: `${path}/versions/1` },
    { method: 'POST', path: `${path}/versions/1/restore`, body: {} },
    { method: 'POST', path: `${path}/execute`, headers: async, body: { input: { text: 'a. b' } } },
    { method: 'POST', path: '/executions', body: { code: 'log.info("a");\nreturn [1, functions];' } },
    { method: 'GET', path: '/executions', query: '?status=completed&limit=5' },
    { method: 'GET', path: ended },
    { method: 'GET', path: `${ended}/logs`, headers: { 'last-event-id': '1-0' } },
    { method: 'GET', path: `${ended}/logs`, headers: { accept: 'application/json' } },
    { method: 'DELETE', path: ended },
    { method: 'DELETE', path: `/executions/${String(queued.body['id'])}` },
    { method: 'GET', path: '/healthz' },
    { method: 'GET', path: '/readyz' },
    { method: 'GET', path: '/openapi.json' },
    ...compatibleRequests,
    ...mcpRequests,
    { method: 'DELETE', path },
  ];
}

function sourceOf({ input, output, code }: typeof summarize): object {
  return { input, output, code };
}

/** Over a socket, because clients refuse to send much of what must be refused. */
async function send(port: number, { method, target, headers, body }: FuzzRequest): Promise<Answer> {
  const all = { host: 'localhost', connection: 'close', authorization: `Bearer ${adminKey}`, ...headers };
  const length = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
    ...length,
  ];
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket
    .on('data', (chunk) => chunks.push(chunk))
    .once('close', resolve)
    .on('error', () => {});
  socket.setTimeout(ANSWER_TIMEOUT_MS, () => reject(new Error('no answer in time')));
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
  try {
    await promise;
  } finally {
    socket.destroy();
  }
  return parseAnswer(Buffer.concat(chunks).toString(), method);
}

function faultOf(answer: Answer): string | undefined {
  const { status, headers, body } = answer;
  if (status >= 500) return `answered with ${status}`;
  if (JSON.stringify(body['error'] ?? '').includes('internal_error')) return 'a message tells of an internal error';
  if (!headers.has('request-id')) return `${status} without Request-Id`;
  if (status >= 400 && body['text'] !== '') return formatFault(answer);
  return status >= 200 && status < 500 ? undefined : `answered with ${status}`;
}

function outcomeOf({ status, body }: Answer): string {
  if (status < 400) return String(status);
  const { code, error } = body as {
    readonly code?: string;
    readonly error?: { readonly code?: string; readonly type?: string };
  };
  return code ?? error?.code ?? error?.type ?? String(status);
}
