import { definePlugin } from '@patchbay/contracts/define-plugin';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Lifecycle } from '@patchbay/contracts/lifecycle';
import type { MetricSource } from '@patchbay/contracts/telemetry';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createApp } from './create-app.ts';
import { providerPlugin } from './fixtures/test-plugins.ts';

const open = (lifecycles: Readonly<Record<string, Lifecycle>> = {}, events: string[] = []) =>
  createApp({
    patchbay: 1,
    secret: 'x'.repeat(32),
    providers: Object.fromEntries(
      Object.entries(lifecycles).map(([name, lifecycle]) => [name, { use: providerPlugin(events, lifecycle) }]),
    ),
  });

describe('stop', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('a stop waits for requests in progress, and health says so', async () => {
    const events: string[] = [];
    const app = await open({ a: {} }, events);
    const request = app.host.track();
    const stopping = app.host.stop(60_000);
    expect((await app.host.health()).status).toBe('draining');
    expect(events).not.toContain('stop providers.a');
    request.done();
    await stopping;
    expect(events).toContain('stop providers.a');
  });

  it('an announced stop shows in health while requests are still accepted', async () => {
    const app = await open();
    app.host.announceStop();
    expect((await app.host.health()).status).toBe('draining');
    app.host.track().done();
    await app.host.stop();
    expect(() => app.host.track()).toThrow(PatchbayError);
  });

  it('requests are aborted at the drain deadline and may finish before the plugins stop', async () => {
    const events: string[] = [];
    const app = await open({ a: {} }, events);
    const reason = new Promise((resolve) => {
      const request = app.host.track((given) => {
        resolve(given);
        queueMicrotask(() => {
          events.push('done');
          request.done();
        });
      });
    });
    await app.host.stop(0);
    expect(await reason).toMatchObject({ code: 'shutting_down' });
    expect(app.host.signal.reason).toMatchObject({ code: 'shutting_down' });
    expect(events).toEqual(['start providers.a', 'done', 'stop providers.a']);
  });

  it('the last export of telemetry has the health of what still runs, and reports no part as failed', async () => {
    const exported: unknown[] = [];
    let source: MetricSource | undefined;
    const read = async () => {
      const samples = (await source?.samples()) ?? [];
      const health = samples.filter(({ name }) => name === 'patchbay.part.health');
      exported.push(Object.fromEntries(health.map(({ value, attributes }) => [attributes?.['part'], value])));
    };
    const events: string[] = [];
    const telemetry = definePlugin({
      name: 'telemetry-test',
      kind: 'telemetry',
      version: 1,
      config: { properties: {} },
      create: () => ({
        span: (_name, _attributes, work) => work({ set() {} }),
        count() {},
        record() {},
        observe: (given) => {
          source = given;
        },
        stop: read,
      }),
    });
    const providers = { a: { use: providerPlugin(events, {}) } };
    const app = await createApp({ patchbay: 1, secret: 'x'.repeat(32), telemetry: { use: telemetry }, providers });
    await read();
    await app.host.stop();
    expect(exported[0]).toMatchObject({ telemetry: 1, 'providers.a': 1 });
    expect(exported[1]).not.toHaveProperty(['providers.a']);
    expect(Object.values(exported[1] as object)).not.toContain(0);
  });

  it('repeated calls stop the app once', async () => {
    const events: string[] = [];
    const app = await open({ a: {} }, events);
    await Promise.all([app.host.stop(), app.host.stop(), app[Symbol.asyncDispose]()]);
    expect(await app.host.health()).toMatchObject({
      status: 'draining',
      parts: { 'providers.a': { status: 'fail', detail: 'has stopped' } },
    });
    expect(events).toEqual(['start providers.a', 'stop providers.a']);
  });

  it('a stop abandons a request that does not finish and a plugin that does not stop', async () => {
    const events: string[] = [];
    const app = await open({ a: {}, b: { stop: () => new Promise(() => {}) } }, events);
    app.host.track();
    vi.useFakeTimers();
    const stopping = app.host.stop().catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(10_000 + 2_000 + 10_000);
    expect(await stopping).toMatchObject({
      errors: [{ message: 'providers.b (provider-test) did not stop cleanly: no answer within 10000 ms' }],
    });
    expect(events.slice(-2)).toEqual(['stop providers.b', 'stop providers.a']);
  });

  it('a stop continues past plugins that fail and reports them all', async () => {
    const fail = (message: string): Lifecycle => ({ stop: () => Promise.reject(new Error(message)) });
    const events: string[] = [];
    const app = await open({ a: fail('one'), b: {}, c: fail('two') }, events);
    const error = await app.host.stop().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'AggregateError',
      errors: [
        { message: 'providers.c (provider-test) did not stop cleanly: two' },
        { message: 'providers.a (provider-test) did not stop cleanly: one' },
      ],
    });
    expect(events.slice(-3)).toEqual(['stop providers.c', 'stop providers.b', 'stop providers.a']);
  });
});

describe('health', () => {
  it('the app is degraded while a part fails, and ready with a warning', async () => {
    const warning = await open({ a: { health: async () => ({ status: 'warn', detail: 'slow' }) } });
    expect(await warning.host.health()).toMatchObject({
      status: 'ready',
      parts: { 'providers.a': { status: 'warn' } },
    });
    await warning.host.stop();
    const failing = await open({ a: { health: async () => ({ status: 'fail', detail: 'down' }) } });
    expect((await failing.host.health()).status).toBe('degraded');
    await failing.host.stop();
  });

  it('health shows the message of a PatchbayError, and of no other error', async () => {
    const reject = (error: Error): Lifecycle => ({ health: () => Promise.reject(error) });
    const app = await open({
      a: reject(new PatchbayError('provider_error', 'acme does not answer')),
      b: reject(new Error('postgres://user:password@host')),
    });
    const { parts } = await app.host.health();
    expect(parts['providers.a']).toEqual({ status: 'fail', detail: 'acme does not answer' });
    expect(parts['providers.b']).toEqual({ status: 'fail', detail: 'the health check failed' });
    await app.host.stop();
  });

  it('a part that has not responded yet is not checked again', async () => {
    const answer = Promise.withResolvers<{ status: 'pass' }>();
    let asked = 0;
    const app = await open({
      a: {
        health() {
          asked += 1;
          return answer.promise;
        },
      },
    });
    expect((await app.host.health()).parts['providers.a']).toEqual({
      status: 'fail',
      detail: 'the health check failed',
    });
    const again = app.host.health();
    answer.resolve({ status: 'pass' });
    expect((await again).parts['providers.a']).toEqual({ status: 'pass' });
    expect(asked).toBe(1);
    await app.host.health();
    expect(asked).toBe(2);
    await app.host.stop();
  });
});
