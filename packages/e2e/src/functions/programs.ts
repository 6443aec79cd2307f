import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import type { ServerHereInUse } from '../driver/use-server-here.ts';

type Body = Readonly<Record<string, unknown>>;

/** Programs that call functions, from the request of a caller to the last process and back. */
export function programsSuite(server: ServerHereInUse): void {
  const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

  async function save(name: string, code: string): Promise<string> {
    const { status, body } = await server.ask('POST', '/functions', { name, input: number, output: number, code });
    expect(status, JSON.stringify(body)).toBe(201);
    return String(body['id']);
  }

  const run = (code: string, headers?: Record<string, string>) => server.ask('POST', '/executions', { code }, headers);
  const read = async (id: unknown): Promise<Body> => (await server.ask('GET', `/executions/${String(id)}`)).body;

  describe('a program', () => {
    it('calls functions as its caller, and says which', async () => {
      const double = await save('Program double', 'export default ({ n }) => ({ n: n * 2 });');
      await save('Program failure', 'export default () => { throw new Error("out of luck"); }');
      const { status, body } = await run(`
        const numbers = await Promise.all([1, 2, 3].map(async (n) => (await functions.programDouble({ n })).n));
        const failed = await functions.programFailure({ n: 1 }).catch((error) => error.code);
        const name = ['no', 'function'].join('');
        const missing = await functions[name]({}).catch((error) => error.code);
        log.info('numbers', { numbers });
        return { numbers, failed, missing };`);
      expect(body).toMatchObject({
        id: expect.stringMatching(/^run_/u),
        functionId: 'program',
        output: { value: { numbers: [2, 4, 6], failed: 'function_failed', missing: 'function_not_found' } },
        logs: [{ level: 'info', message: 'numbers', fields: { numbers: [2, 4, 6] } }],
      });
      expect(status).toBe(200);
      const calls = body['calls'] as readonly Body[];
      expect(calls.map(({ function: called, error }) => [called, error])).toEqual([
        ...[1, 2, 3].map(() => ['programDouble', undefined]),
        ['programFailure', 'function_failed'],
        ['nofunction', 'function_not_found'],
      ]);
      const [first, second, third, failure] = await Promise.all(
        calls.slice(0, 4).map(({ executionId }) => read(executionId)),
      );
      for (const each of [first, second, third, failure]) expect(each).toMatchObject({ parentId: body['id'] });
      expect(first).toMatchObject({ functionId: double, status: 'completed' });
      expect(failure).toMatchObject({ status: 'failed', error: { message: 'out of luck' } });
      expect(await read(body['id'])).toEqual(body);
    });

    it('is refused with the line of each fault, and fails with the line of its error', async () => {
      await save('Program typed', 'export default ({ n }) => ({ n });');
      const refused = await run('const a = 1;\nreturn await functions.programTyped({ n: "1" });');
      expect(refused).toMatchObject({ status: 422, body: { code: 'code_invalid', errors: [{ line: 2, column: 39 }] } });
      const unknown = await run('return await functions.programTypd({ n: 1 });');
      const detail = expect.stringContaining("Did you mean 'programTyped'?");
      expect(unknown.body).toMatchObject({ code: 'code_invalid', errors: [{ line: 1, column: 24, detail }] });
      const failed = await run('await functions.programTyped({ n: 1 });\n\nthrow new Error("no");');
      expect(failed).toMatchObject({
        status: 422,
        body: {
          code: 'function_failed',
          execution: {
            status: 'failed',
            error: { message: 'no', stack: 'at function.ts:3:7' },
            calls: [{ function: 'programTyped' }],
          },
        },
      });
    });

    it('needs its own scope, and the scopes of its calls', async () => {
      await save('Program guarded', 'export default ({ n }) => ({ n });');
      const holding = async (...scopes: readonly string[]) => {
        const { body } = await server.ask('POST', '/keys', { name: 'program', scopes });
        return { authorization: `Bearer ${String(body['key'])}` };
      };
      const code = 'return await functions.programGuarded({ n: 1 }).catch((error) => error.code);';
      expect(await run(code, await holding('functions:execute', 'functions:write'))).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope' },
      });
      const { body } = await run(code, await holding('code:run'));
      expect(body).toMatchObject({ output: { value: 'insufficient_scope' } });
      const both = await run(code, await holding('code:run', 'functions:execute'));
      expect(both.body).toMatchObject({ output: { value: { n: 1 } } });
    });

    it('counts as a level of functions that call functions', async () => {
      await save(
        'Program descent',
        `async ({ n }, { functions }) => {
        try {
          return await functions.programDescent({ n: n + 1 });
        } catch {
          return { n };
        }
      }`,
      );
      const { body } = await run('return (await functions.programDescent({ n: 1 })).n;');
      expect(body['output']).toEqual({ value: 7 });
    });

    it('ends with what it waits for when its caller leaves', async () => {
      const waiting = await save('Program waiting', 'export default async () => { for (;;) await 0; }');
      const leaving = new AbortController();
      const running = fetch(`${server.running.url}/executions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ code: 'await functions.programWaiting({ n: 1 });' }),
        signal: leaving.signal,
      });
      const executions = async () => {
        const { body } = await server.ask('GET', `/functions/${waiting}/executions`);
        return body['data'] as readonly { readonly id: string; readonly status: string }[];
      };
      await expect.poll(executions, { timeout: 10_000 }).toMatchObject([{ status: 'running' }]);
      leaving.abort();
      await expect(running).rejects.toThrow('aborted');
      await expect.poll(executions, { timeout: 5_000 }).toMatchObject([{ status: 'cancelled' }]);
      const [{ id } = { id: '' }] = await executions();
      const { parentId } = await read(id);
      await expect.poll(() => read(parentId), { timeout: 5_000 }).toMatchObject({ status: 'cancelled' });
    });
  });
}
