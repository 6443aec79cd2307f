import assert from 'node:assert/strict';
import { type JsonObject, PatchbayError, type ToolServer } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';
import { testContext } from '../test-context.ts';

/** A tool call. */
interface ToolUse {
  readonly name: string;
  readonly given: JsonObject;
}

/** A server with tools to call. */
export interface ToolServerUnderTest {
  /** Not started. */
  readonly server: ToolServer;
  /** A call that succeeds. */
  readonly works: ToolUse;
  /** A call that ends only when it is cancelled. */
  readonly hangs: ToolUse;
  /** Remove what was made for the test. */
  dispose?(): Promise<void>;
}

export interface ToolServerConformanceOptions {
  create(): ToolServerUnderTest | Promise<ToolServerUnderTest>;
  /** A server whose remote end cannot be reached. Not started. */
  createDown(): ToolServer | Promise<ToolServer>;
}

/**
 * The tests that every plugin of the kind `toolServer` has to pass, run against yours.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { ToolServer } from '@patchbay/core/plugin';
 * import { toolServerConformance } from '@patchbay/testing';
 *
 * declare function createMyServer(url: string): ToolServer;
 *
 * const works = { name: 'now', given: {} };
 * const hangs = { name: 'sleep', given: { seconds: 3600 } };
 * toolServerConformance(
 *   { describe, it },
 *   {
 *     create: () => ({ server: createMyServer('http://127.0.0.1:4000'), works, hangs }),
 *     createDown: () => createMyServer('http://127.0.0.1:9'),
 *   },
 * );
 * ```
 */
export function toolServerConformance(runner: Runner, options: ToolServerConformanceOptions): void {
  const it = (name: string, body: (subject: ToolServerUnderTest) => Promise<void>) =>
    runner.it(name, async () => {
      const subject = await options.create();
      try {
        await subject.server.start?.(new AbortController().signal);
        await body(subject);
      } finally {
        await subject.server.stop?.();
        await subject.dispose?.();
      }
    });

  runner.describe('tools', () => {
    it('are listed with distinct names and schemas of objects', async ({ server, works, hangs }) => {
      const tools = await server.tools(testContext());
      const names = tools.map(({ name }) => name);
      assert.deepEqual([...new Set(names)], names);
      for (const { name } of [works, hangs]) assert.ok(names.includes(name), `${name} is missing`);
      for (const { input } of tools) assert.equal(input['type'], 'object');
    });

    it('are the same list until it changes', async ({ server }) => {
      assert.equal(await server.tools(testContext()), await server.tools(testContext()));
    });

    it('return a text, and a value if they declare an output', async ({ server, works }) => {
      const tool = (await server.tools(testContext())).find(({ name }) => name === works.name);
      const { text, value, isError } = await server.call(works.name, works.given, testContext());
      assert.equal(typeof text, 'string');
      assert.notEqual(isError, true);
      if (tool?.output) assert.notEqual(value, undefined);
    });

    it('that are called at the same time get their own results', async ({ server, works }) => {
      await server.tools(testContext());
      const call = () => server.call(works.name, works.given, testContext());
      assert.equal((await Promise.all([call(), call(), call()])).length, 3);
    });

    it('that do not exist fail', async ({ server }) => {
      await server.tools(testContext());
      const { isError } = await server
        .call('no-such-tool', {}, testContext())
        .catch((error: unknown) => ({ isError: codeOf(error) === 'tool_failed' }));
      assert.equal(isError, true);
    });

    it('end with the signal of their caller, and others are served', async ({ server, works, hangs }) => {
      await server.tools(testContext());
      const caller = new AbortController();
      const reason = new Error('the caller is gone');
      const call = server.call(hangs.name, hangs.given, testContext({ signal: caller.signal }));
      caller.abort(reason);
      await assert.rejects(call, reason);
      await server.call(works.name, works.given, testContext());
      const gone = server.call(works.name, works.given, testContext({ signal: AbortSignal.abort(reason) }));
      await assert.rejects(gone, reason);
    });

    runner.it('of a server that is down are unavailable, and do not hold up its start', async () => {
      const server = await options.createDown();
      try {
        await server.start?.(new AbortController().signal);
        const isUnavailable = (error: unknown): boolean => codeOf(error) === 'tool_unavailable';
        await assert.rejects(server.tools(testContext()), isUnavailable);
        await assert.rejects(server.call('any', {}, testContext()), isUnavailable);
        assert.notEqual((await server.health?.())?.status, 'pass');
      } finally {
        await server.stop?.();
      }
    });
  });
}

const codeOf = (error: unknown): string | undefined => (PatchbayError.is(error) ? error.code : undefined);
