import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import type { ServerHereInUse } from '../driver/use-server-here.ts';

/** Calls of functions to the server, from the request of a caller to the last process and back. */
export function contextSuite(server: ServerHereInUse): void {
  const object = { type: 'object' } as const;

  async function save(name: string, code: string): Promise<string> {
    const { status, body } = await server.ask('POST', '/functions', { name, input: object, output: object, code });
    expect(body).toMatchObject({ name });
    expect(status).toBe(201);
    return String(body['id']);
  }

  const execute = (id: string, input: object = {}) => server.ask('POST', `/functions/${id}/execute`, { input });

  describe('the context of a function', () => {
    it('asks a model as its caller would', async () => {
      const id = await save(
        'Ask a model',
        `async function ask({ text }: { text: string }, { ai }: Context): Promise<Output> {
        const { text: answer, model, totalTokens } = await ai.generate({ prompt: text });
        const { message } = await ai.chat({ messages: [{ role: 'user', content: text }], model });
        return { answer, model, totalTokens, same: message.content === answer };
      }`,
      );
      const { status, body } = await execute(id, { text: 'Rain falls in spring. Snow falls in winter.' });
      expect(status).toBe(200);
      expect(body['output']).toMatchObject({ model: expect.stringMatching(/^demo\//u), same: true });
    });

    it('calls a function, which calls a model', async () => {
      await save(
        'Embed',
        'async (input, { ai }) => ({ size: (await ai.embed({ text: input.text })).embedding.length })',
      );
      const outer = await save(
        'Outer',
        `async ({ texts }, { functions }) => ({ sizes: await Promise.all(texts.map(async (text) => (await functions.Embed({ text })).size)) })`,
      );
      const { body } = await execute(outer, { texts: ['a', 'b', 'c'] });
      const { sizes } = body['output'] as { sizes: number[] };
      expect(sizes).toHaveLength(3);
      expect(new Set(sizes).size).toBe(1);
    });

    it('calls eight levels deep', async () => {
      const id = await save(
        'Down',
        `async ({ level }, { functions }) => {
        try {
          return await functions.Down({ level: level + 1 });
        } catch (error) {
          return { level, code: error.code };
        }
      }`,
      );
      const { body } = await execute(id, { level: 1 });
      expect(body['output']).toEqual({ level: 8, code: 'call_depth_exceeded' });
      const page = await server.ask('GET', `/functions/${id}/executions`);
      const ids = (page.body['data'] as { id: string }[]).map((execution) => execution.id);
      expect(ids).toHaveLength(8);
      const executions = await Promise.all(ids.map((each) => server.ask('GET', `/executions/${each}`)));
      // Newest first: each was called by the one that started before it, and the first by the client.
      expect(executions.map(({ body: { parentId } }) => parentId)).toEqual([...ids.slice(1), undefined]);
    });

    it('fails as what it calls fails, unless it catches that', async () => {
      await save('Thrower', 'export default () => { throw new TypeError("no luck"); }');
      const id = await save('Caller', 'export default async (_, { functions }) => await functions.Thrower();');
      const { status, body } = await execute(id);
      expect(status).toBe(422);
      expect(body).toMatchObject({
        code: 'function_failed',
        execution: { error: { code: 'function_threw', message: 'TypeError: no luck' } },
      });
    });

    it('ends what it waits for when its time is up', async () => {
      const inner = await save('Endless', 'export default async () => { for (;;) await 0; }');
      const outer = await save(
        'Waits',
        'export default async (_, { functions }) => { await Promise.all([functions.Endless(), functions.Endless()]); }',
      );
      const leaving = new AbortController();
      const running = fetch(`${server.running.url}/functions/${outer}/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${adminKey}`,
          'content-type': 'application/json',
        },
        body: '{"input":{}}',
        signal: leaving.signal,
      });
      const statuses = async (id: string) => {
        const { body } = await server.ask('GET', `/functions/${id}/executions`);
        return (body['data'] as { status: string }[]).map(({ status }) => status);
      };
      await expect.poll(() => statuses(inner), { timeout: 10_000 }).toEqual(['running', 'running']);
      leaving.abort();
      await expect(running).rejects.toThrow('aborted');
      await expect.poll(() => statuses(inner), { timeout: 5_000 }).toEqual(['cancelled', 'cancelled']);
      await expect.poll(() => statuses(outer), { timeout: 5_000 }).toEqual(['cancelled']);
    });
  });
}
