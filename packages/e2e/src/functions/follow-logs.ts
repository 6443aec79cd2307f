import { describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { echo } from '../driver/sample-functions.ts';
import { adminKey } from '../driver/server-process.ts';
import type { ServerHereInUse } from '../driver/use-server-here.ts';

/** Logs as they are written: from the code in its process, over the server, to clients that come and go. */
export function followLogsSuite(server: ServerHereInUse): void {
  const ticking = {
    ...echo,
    input: { type: 'object', properties: { lines: { type: 'integer' }, ms: { type: 'integer' } } },
    code: `export default async ({ lines, ms }) => {
  for (let i = 1; i <= lines; i += 1) {
    console.log('line ' + i);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return {};
}`,
  };

  async function enqueue(input: object): Promise<string> {
    const { body } = await server.ask('POST', '/functions', ticking);
    const path = `/functions/${String(body['id'])}/execute`;
    const accepted = await server.ask('POST', path, { input }, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    return `/executions/${String(accepted.body['id'])}`;
  }

  /** Open a stream, and read until `until` is in what came. */
  async function follow(path: string, headers: Record<string, string> = {}) {
    const controller = new AbortController();
    const response = await fetch(`${server.running.url}${path}/logs`, {
      headers: { authorization: `Bearer ${adminKey}`, accept: 'text/event-stream', ...headers },
      signal: controller.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) throw new Error('there is no body');
    let text = '';
    return {
      response,
      async read(until: string): Promise<string> {
        while (!text.includes(until)) {
          const { done, value } = await reader.read();
          if (done) throw new Error(`the stream ended before ${until}: ${text}`);
          text += value;
        }
        return text;
      },
      async rest(): Promise<string> {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return text;
          text += value;
        }
      },
      leave: () => controller.abort(),
    };
  }

  const messages = (text: string): readonly string[] =>
    [...text.matchAll(/^id: (.*)\nevent: log\ndata: (.*)$/gm)].map(
      ([, id, data = '']) => `${id} ${(JSON.parse(data) as { message: string }).message}`,
    );

  const requests = (status: number) =>
    server.running.log.filter((entry) => entry['route'] === '/executions/:id/logs' && entry['status'] === status);

  describe('GET /executions/:id/logs', () => {
    it('streams lines while the code runs, to every client, from where each asks', async () => {
      const path = await enqueue({ lines: 3, ms: 1_200 });
      const stream = await follow(path);
      expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
      await stream.read('line 1');
      // It still runs: what came was not kept until the end.
      expect((await server.ask('GET', path)).body['status']).toBe('running');
      const soFar = await server.ask('GET', `${path}/logs`, undefined, { accept: 'application/json' });
      expect(soFar.body).toMatchObject({ status: 'running', data: [{ level: 'info', message: 'line 1' }] });
      const later = await follow(path, { 'last-event-id': '1-1' });
      const [all, rest] = await Promise.all([stream.rest(), later.rest()]);
      expect(messages(all)).toEqual(['1-1 line 1', '1-2 line 2', '1-3 line 3']);
      expect(messages(rest)).toEqual(['1-2 line 2', '1-3 line 3']);
      for (const text of [all, rest])
        expect(text.endsWith('id: end\nevent: end\ndata: {"status":"completed"}\n\n')).toBe(true);
      const after = await server.ask('GET', `${path}/logs`, undefined, { 'last-event-id': 'end' });
      expect(after.status).toBe(204);
    });

    it('ends with an execution that is cancelled', async () => {
      const path = await enqueue({ lines: 1, ms: 50_000 });
      const stream = await follow(path);
      await stream.read('line 1');
      await server.ask('DELETE', path);
      expect(await stream.rest()).toContain('event: end\ndata: {"status":"cancelled"}\n\n');
    });

    it('drops clients that leave, and the execution continues', async () => {
      const path = await enqueue({ lines: 2, ms: 2_000 });
      const streams = await Promise.all(Array.from({ length: 20 }, () => follow(path)));
      await Promise.all(streams.map((stream) => stream.read('line 1')));
      const before = requests(499).length;
      for (const stream of streams) stream.leave();
      await expect.poll(() => requests(499).length).toBe(before + 20);
      await expect
        .poll(async () => (await server.ask('GET', path)).body['status'], { timeout: 10_000 })
        .toBe('completed');
    });

    it('answers with a problem where there is nothing to follow', async () => {
      expectProblem(await server.ask('GET', '/executions/execution_x/logs'), 'execution_not_found');
      const path = await enqueue({ lines: 1, ms: 0 });
      const wrong = await server.ask('GET', `${path}/logs`, undefined, { 'last-event-id': '../1' });
      expectProblem(wrong, 'invalid_request');
    });
  });
}
