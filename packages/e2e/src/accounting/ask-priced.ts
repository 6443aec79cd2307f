import type { Random } from '../driver/random.ts';
import type { ServerProcess } from '../driver/server-process.ts';
import { MAX_TOKENS } from './priced-upstream.ts';

/** How a client asks. Each way reserves and settles in different code. */
export const ways = ['chat', 'streamed chat', 'generate', 'forwarded', 'streamed and forwarded'] as const;

export type Way = (typeof ways)[number] | 'left';

export interface PricedAnswer {
  readonly status: number;
  /** Of a refusal. */
  readonly code?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** Ask a model, and read the response to its end, or leave after its first piece. */
export async function askPriced(
  { url }: Pick<ServerProcess, 'url'>,
  key: string,
  owner: string,
  way: Way,
): Promise<PricedAnswer> {
  const { path, body } = requestOf(owner, way);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const leaving = new AbortController();
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal };
  const response = await fetch(url + path, request);
  const { status } = response;
  if (response.ok && way === 'left') {
    await response.body?.getReader().read();
    leaving.abort();
    return { status };
  }
  const text = await response.text();
  if (response.ok) return { status };
  const document = JSON.parse(text) as { readonly code?: string; readonly error?: { readonly code?: string } };
  const retryAfter = response.headers.get('retry-after');
  const code = document.code ?? document.error?.code;
  return { status, code, retryAfter: retryAfter === null ? undefined : Number(retryAfter) };
}

function requestOf(owner: string, way: Way): { readonly path: string; readonly body: object } {
  const [model, prompt] = ['priced/text', `${owner} asks what a word is`];
  const messages = [{ role: 'user', content: prompt }];
  const stream = way === 'left' || way.startsWith('streamed');
  if (way === 'generate') return { path: '/generate', body: { model, prompt, maxTokens: MAX_TOKENS } };
  if (way === 'forwarded' || way === 'streamed and forwarded') {
    return { path: '/v1/chat/completions', body: { model, messages, stream, max_tokens: MAX_TOKENS } };
  }
  return { path: '/chat', body: { model, messages, stream, maxTokens: MAX_TOKENS } };
}

export const anyWay = (random: Random): Way => random.pick(ways);
