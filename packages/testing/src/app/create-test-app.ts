import { type App, type AppConfig, type AppOptions, authenticatorFrom, createApp } from '@patchbay/core';
import { type GrantedScope, isGrantedScope, type Logger, tenantId } from '@patchbay/core/plugin';
import { createInProcessExecutor, type InProcessExecutor } from './in-process-executor.ts';
import { createTestModels, type TestModels } from './test-models.ts';

export interface TestLogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [field: string]: unknown;
}

/** An app in memory, and what a test can see inside it. */
export interface TestApp extends AsyncDisposable {
  readonly app: App;
  /** Entries of the log so far. */
  readonly log: readonly TestLogEntry[];
  /** The runs of functions. */
  readonly functions: Omit<InProcessExecutor, 'plugin'>;
  /** The requests to the models `test/chat` and `test/embed`. */
  readonly models: Omit<TestModels, 'plugin'>;
  /** A token that is accepted. Default: all scopes of the tenant `test`. */
  token(options?: { readonly tenant?: string; readonly scopes?: readonly GrantedScope[] }): string;
}

/**
 * An app for tests of hosts and plugins: nothing outlives it, nothing leaves the process, and it
 * starts in milliseconds. Functions run in the process of the test, without any jail: only code of your own.
 *
 * @param config Whatever should differ, such as a plugin under test.
 *
 * @example
 * ```ts
 * import { createRequestContext, newId } from '@patchbay/core';
 * import { createTestApp } from '@patchbay/testing';
 *
 * await using test = await createTestApp();
 * const { app } = test;
 * const caller = await app.services.authenticate({ token: test.token({ scopes: ['gateway:invoke'] }) });
 * const context = createRequestContext({ app, caller, requestId: newId('request') });
 * const models = app.services.gateway.models(context);
 * console.log(models.map(({ id }) => id)); // [ "test/chat", "test/embed" ]
 * context.close();
 * ```
 */
export async function createTestApp(config: Partial<AppConfig> = {}, options: AppOptions = {}): Promise<TestApp> {
  const log: TestLogEntry[] = [];
  const write = (level: TestLogEntry['level']) => (message: string, fields?: object) => {
    log.push({ level, message, ...fields });
  };
  const logger: Logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const functions = createInProcessExecutor();
  const models = createTestModels();
  const mounts = {
    executor: { use: functions.plugin },
    providers: { test: { use: models.plugin } },
    authenticators: { test: { use: testTokens } },
  };
  const app = await createApp({ patchbay: 1, ...mounts, limits: { off: true }, ...config }, { logger, ...options });
  return {
    app,
    log,
    functions,
    models,
    token: ({ tenant = 'test', scopes = ['*'] } = {}) => `test/${tenant}/${scopes.join(',')}`,
    [Symbol.asyncDispose]: () => app.host.stop(0),
  };
}

const testTokens = authenticatorFrom(async ({ token }) => {
  const [kind, tenant = '', scopes = ''] = token.split('/');
  if (kind !== 'test') return undefined;
  const principal = {
    id: `${tenant}|${scopes}`,
    tenant: tenantId(tenant),
    scopes: scopes.split(',').filter(isGrantedScope),
  };
  return { ...principal, kind: 'user', expiresAt: null };
});
