import assert from 'node:assert/strict';
import type { App } from '@patchbay/core';
import { createTestApp, type TestApp } from '../app/create-test-app.ts';
import { testPrompts } from '../app/test-models.ts';
import type { Runner } from '../runner.ts';
import { type ApiTopic, declareSuites } from './api-conformance.ts';
import { type ApiClient, createApiClient, type HostSuite, type ServedApi } from './api-under-test.ts';
import { clientsSuite } from './clients-suite.ts';
import { sessionsSuite } from './sessions-suite.ts';

export interface HostConformanceOptions {
  /** Put an app into the host, as your code does, and have the host listen. */
  serve(app: App): Promise<ServedApi>;
  /**
   * Headers by which your host knows a caller with the scopes `models:read` and `gateway:invoke`, such as a cookie.
   * Default: it knows no caller.
   */
  readonly session?: Readonly<Record<string, string>>;
}

interface Started {
  readonly test: TestApp;
  readonly served: ServedApi;
  readonly client: ApiClient;
}

/** The topics of `apiConformance` that depend on the host: heads, bodies, paths, streams and errors. */
const topics: readonly ApiTopic[] = ['requests', 'gateway', 'compatible', 'place'];

/**
 * The part of the HTTP API that depends on its host: how requests and responses get through it, and that what clients do,
 * such as leaving or reading slowly, reaches the code and the models. What the API does behind that is the same in every
 * host: `apiConformance`. The tests share one app; the last one stops it.
 *
 * @example
 * ```ts
 * import { createServer, type Server } from 'node:http';
 * import type { AddressInfo } from 'node:net';
 * import { describe, it } from 'node:test';
 * import type { App } from '@patchbay/core';
 * import { hostConformance } from '@patchbay/testing';
 *
 * declare function createMyServer(app: App): Server;
 *
 * hostConformance({ describe, it }, {
 *   async serve(app) {
 *     const server = createMyServer(app).listen(0, '127.0.0.1');
 *     await new Promise((resolve) => server.once('listening', resolve));
 *     const { port } = server.address() as AddressInfo;
 *     return {
 *       url: `http://127.0.0.1:${port}/api`,
 *       async stop() {
 *         await app.host.stop();
 *         server.close();
 *       },
 *     };
 *   },
 * });
 * ```
 */
export function hostConformance(runner: Runner, options: HostConformanceOptions): void {
  const start = async (): Promise<Started> => {
    const test = await createTestApp();
    const served = await options.serve(test.app);
    return { test, served, client: createApiClient({ ...served, token: test.token() }) };
  };
  let started: Promise<Started> | undefined;
  const get = (): Promise<Started> => (started ??= start());
  const suite: HostSuite = {
    describe: (name, body) => runner.describe(name, body),
    it: (name, body) =>
      runner.it(name, async () => {
        const { client, test } = await get();
        await body(client, test);
      }),
  };
  runner.describe('host', () => {
    declareSuites(runner, async () => (await get()).client, topics);
    clientsSuite(suite);
    if (options.session) sessionsSuite(suite, options.session);
    runner.it('a stop ends requests in progress and logs no error', async () => {
      const { test, served, client } = await get();
      const next = test.models.nextRequest();
      const body = { prompt: testPrompts.hang, model: client.models.chat };
      const answer = client.ask('POST', '/generate', { body }).catch(() => undefined);
      const { signal } = await next;
      const stopping = served.stop();
      assert.equal((await test.app.host.health()).status, 'draining');
      await stopping;
      assert.ok(signal.aborted);
      const status = (await answer)?.status;
      assert.ok(status === undefined || status === 503, `${status}`);
      assert.deepEqual(
        test.log.filter(({ level }) => level === 'error'),
        [],
      );
    });
  });
}
