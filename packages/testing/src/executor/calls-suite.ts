import assert from 'node:assert/strict';
import { type ExecutionOutcome, type HostCalls, type JsonObject, PatchbayError } from '@patchbay/core/plugin';
import { type ExecutorSuite, failureOf, outputOf } from './executor-under-test.ts';

const serving = (call: HostCalls['call'], more: Partial<HostCalls> = {}): HostCalls => ({
  maxCalls: 100,
  secrets: {},
  call,
  ...more,
});

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Calls of the code reach the host, and their answers come back, for as long as the run lasts. */
export function callsSuite({ runner, it, options }: ExecutorSuite): void {
  if (!options.capabilities?.includes('host-calls')) return;
  runner.describe('calls of the host', () => {
    it('arrive with their name and arguments, and are answered each with its own result', async (subject) => {
      const names = new Set<string>();
      const host = serving(async (name, given) => {
        names.add(name);
        return JSON.stringify({ name, given: JSON.parse(given) });
      });
      const output = await subject.output(
        `async (_, { ai, functions }) => {
          const chats = await Promise.all(Array.from({ length: 30 }, (_, index) => ai.chat({ index })));
          return {
            order: chats.every(({ given }, index) => given.index === index),
            generate: await ai.generate({ a: ['ü'] }),
            run: await functions.call('A name', { n: 1 }),
            named: await functions.other({ n: 2 }),
            rest: [await ai.embed({}), await ai.call({})].length,
          };
        }`,
        { host },
      );
      assert.deepEqual(output, {
        order: true,
        generate: { name: 'ai.generate', given: { a: ['ü'] } },
        run: { name: 'functions.call', given: { function: 'A name', input: { n: 1 } } },
        named: { name: 'functions.call', given: { function: 'other', input: { n: 2 } } },
        rest: 2,
      });
      assert.deepEqual([...names].toSorted(), ['ai.call', 'ai.chat', 'ai.embed', 'ai.generate', 'functions.call']);
    });

    it('send a standard Request and return a standard Response', async (subject) => {
      let seen: JsonObject = {};
      const host = serving(
        async (_, given) => {
          seen = JSON.parse(given) as JsonObject;
          const body = Buffer.from('{"ok":1}').toString('base64');
          const headers = [['content-type', 'application/json']];
          return JSON.stringify({
            url: 'https://a.test/',
            redirected: false,
            status: 201,
            statusText: '',
            headers,
            body,
          });
        },
        { secrets: { KEY: 'placeholder' } },
      );
      const output = await subject.output(
        `async (_, { fetch, secrets }) => {
          const response = await fetch('https://a.test', { method: 'POST', body: 'text', headers: { 'x-key': secrets.KEY } });
          return { status: response.status, type: response.headers.get('content-type'), json: await response.json() };
        }`,
        { host },
      );
      assert.deepEqual(output, { status: 201, type: 'application/json', json: { ok: 1 } });
      assert.equal(seen['method'], 'POST');
      assert.equal(seen['body'], Buffer.from('text').toString('base64'));
      assert.ok(JSON.stringify(seen['headers']).includes('["x-key","placeholder"]'));
    });

    it('fail with the code and the message of the host, and nothing else of it', async (subject) => {
      const host = serving(async (name) => {
        if (name === 'ai.chat') throw new Error('secret of the host');
        throw new PatchbayError('insufficient_scope', 'no such right', { cause: new Error('secret of the host') });
      });
      const shown = '(error) => ({ code: error.code, all: JSON.stringify(error) + error.message + error.stack })';
      const code = `async (_, { ai }) => ({ known: await ai.embed({}).catch(${shown}), unknown: await ai.chat({}).catch(${shown}) })`;
      const output = (await subject.output(code, { host })) as { known: { code: string }; unknown: { code: string } };
      assert.equal(output.known.code, 'insufficient_scope');
      assert.equal(output.unknown.code, 'internal_error');
      assert.ok(!JSON.stringify(output).includes('secret of the host'));
    });

    it('host calls are refused where the host serves none', async (subject) => {
      const code = `async (_, { ai, functions, fetch }) => {
        const refused = async (call) => await call().then(() => 'served', () => 'refused');
        return {
          ai: await refused(() => ai.chat({})),
          functions: await refused(() => functions.other({})),
          fetch: await refused(() => fetch('https://a.test/')),
        };
      }`;
      assert.deepEqual(await subject.output(code), { ai: 'refused', functions: 'refused', fetch: 'refused' });
    });

    it('host calls count against the limit', async (subject) => {
      const host = serving(async () => '{}', { maxCalls: 5 });
      const code =
        'async ({ n }, { ai }) => { for (let i = 0; i < n; i++) await ai.embed({}).catch(() => {}); return {}; }';
      assert.deepEqual(await subject.output(code, { host, input: { n: 5 } }), {});
      failureOf(await subject.run(code, { host, input: { n: 6 } }), 'call_limit');
    });

    it('end with the run, however it ends', async (subject) => {
      const isEnded = async (
        end: string,
        check: (outcome: ExecutionOutcome) => void,
        wallMs = 15_000,
      ): Promise<void> => {
        const calls: Promise<void>[] = [];
        const host = serving(async (_, given, signal) => {
          if (given === '{}') return given;
          calls.push(aborted(signal));
          await calls[0];
          return '{}';
        });
        // The second call is answered only once the first one has arrived.
        const code = `async (_, { ai }) => { const call = ai.embed({ wait: 1 }); call.catch(() => {}); await ai.embed({}); ${end} }`;
        check(await subject.run(code, { host, limits: { wallMs } }));
        // A machine with other work may need longer than the limit to get as far as the call.
        if (calls.length === 0 && wallMs < 15_000) return isEnded(end, check, wallMs * 4);
        assert.equal(calls.length, 1);
        await calls[0];
      };
      await isEnded('await call;', (outcome) => void failureOf(outcome, 'wall_limit'), 600);
      await isEnded('throw new Error("no");', (outcome) => void failureOf(outcome, 'function_threw'));
      await isEnded('return {};', (outcome) => assert.deepEqual(outputOf(outcome), {}));
    });

    it('of executions by executions do not wait for places that only they could free', async (subject) => {
      const nest = (depth: number, id: string): HostCalls =>
        serving(async (_, given) => {
          const { input } = JSON.parse(given) as { readonly input: { readonly index: number } };
          const executionId = `${id}_${input.index}`;
          const parent = { id, functionId: 'function_test', depth };
          const own = { executionId, parent, host: nest(depth + 1, executionId), limits: { wallMs: 60_000 } };
          return JSON.stringify(outputOf(await subject.run(depth < 2 ? inner : 'async () => ({ leaves: 1 })', own)));
        });
      const inner = `async (_, { functions }) => {
        const found = await Promise.all([0, 1].map((index) => functions.next({ index })));
        return { leaves: found[0].leaves + found[1].leaves };
      }`;
      const runs = ['a', 'b', 'c', 'd'].map((executionId) =>
        subject.output(inner, { executionId, host: nest(1, executionId), limits: { wallMs: 60_000 } }),
      );
      assert.deepEqual(
        await Promise.all(runs),
        Array.from({ length: 4 }, () => ({ leaves: 4 })),
      );
    });
  });
}
