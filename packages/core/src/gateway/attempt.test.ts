import type { PatchbayError, UpstreamFaultKind } from '@patchbay/contracts/errors';
import type { ChatResult } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from './fixtures/scripted-provider.ts';

const context = contextOf('a');
const messages = [{ role: 'user', content: 'hello' }] as const;
const fault = (kind: UpstreamFaultKind, retryAfter?: string) =>
  providerError(kind, `upstream: ${kind}`, retryAfter === undefined ? {} : { retryAfter });

/** A provider that fails with the given errors, one per call, and then succeeds. */
const failing = (...errors: (PatchbayError | Error)[]) =>
  scriptedProvider([chatModel('m')], {
    async chat() {
      const error = errors.shift();
      if (error) throw error;
      return answer('recovered');
    },
  });

const healthy = () => scriptedProvider([chatModel('m')], { chat: () => answer('healthy') });

describe('one model', () => {
  it.each([
    ['timeout', 'provider_timeout', 1],
    ['redirect', 'provider_error', 1],
    ['rejected', 'provider_error', 1],
    ['auth', 'provider_auth_failed', 1],
    ['model_gone', 'provider_error', 1],
    ['bad_response', 'provider_bad_response', 1],
    ['context_length', 'context_length_exceeded', 1],
    ['content_filter', 'content_filtered', 1],
    ['unsupported', 'unsupported_parameter', 1],
  ] as const)('%s ends in %s without a second try', async (kind, code, calls) => {
    const provider = failing(fault(kind));
    const { gateway } = await createTestGateway({ p: provider });
    await expect(gateway.chat({ messages, model: 'p/m' }, context)).rejects.toMatchObject({
      code,
      extensions: { attempts: [{ model: 'p/m', code }] },
    });
    expect(provider.requests).toHaveLength(calls);
  });

  it.each(['busy', 'failed', 'unreachable'] as const)('%s is tried once more', async (kind) => {
    const once = failing(fault(kind));
    const { gateway } = await createTestGateway({ p: once });
    expect((await gateway.chat({ messages, model: 'p/m' }, context)).message.content).toBe('recovered');
    const twice = failing(fault(kind), fault(kind), fault(kind));
    const other = await createTestGateway({ p: twice });
    await expect(other.gateway.chat({ messages, model: 'p/m' }, context)).rejects.toMatchObject({
      code: 'provider_error',
    });
    expect(twice.requests).toHaveLength(2);
  });

  it('a short Retry-After is waited for, and a long one passed on', async () => {
    const short = failing(fault('rate_limited', '1'));
    const { gateway, clock } = await createTestGateway({ p: short });
    const waiting = gateway.chat({ messages, model: 'p/m' }, context);
    await new Promise(setImmediate);
    clock.advance(1_000);
    expect((await waiting).message.content).toBe('recovered');
    const long = failing(fault('rate_limited', '3600'));
    const other = await createTestGateway({ p: long });
    const limited = { code: 'provider_rate_limited', retryAfter: 60 };
    await expect(other.gateway.chat({ messages, model: 'p/m' }, context)).rejects.toMatchObject(limited);
    await expect(other.gateway.chat({ messages, model: 'p/m' }, context)).rejects.toMatchObject(limited);
    expect(long.requests).toHaveLength(1);
  });

  it('a bug in a provider counts as a failure of the provider', async () => {
    const { gateway } = await createTestGateway({ p: failing(new TypeError('x'), new TypeError('y')) });
    await expect(gateway.chat({ messages, model: 'p/m' }, context)).rejects.toMatchObject({
      code: 'provider_error',
      message: 'the provider p failed',
    });
  });

  it('a burst of concurrent failures counts once against the model', async () => {
    const provider = scriptedProvider([chatModel('m')], { chat: () => Promise.reject(fault('unreachable')) });
    const { gateway, deployments } = await createTestGateway({ p: provider });
    const calls = Array.from({ length: 20 }, () => gateway.chat({ messages, model: 'p/m' }, context));
    await Promise.allSettled(calls);
    expect(provider.requests).toHaveLength(20);
    // Three in a row open the breaker.
    expect(deployments.of('p/m').observations.read().failureRate).toBeCloseTo(1 - 0.9 ** 3);
  });

  it('an open breaker refuses at once, and lets one probe through when its time is over', async () => {
    const provider = scriptedProvider([chatModel('m')], { chat: () => Promise.reject(fault('failed')) });
    const { gateway, deployments, clock } = await createTestGateway({ p: provider });
    const ask = () => gateway.chat({ messages, model: 'p/m' }, context).catch((error: unknown) => error);
    const refused = { code: 'no_provider_available', status: 503, retryAfter: 5 };
    // Two requests and one retry each: with the fourth call the circuit would already be open.
    await ask();
    await ask();
    expect(deployments.of('p/m').breaker.state()).toBe('open');
    const calls = provider.requests.length;
    for (const error of await Promise.all(Array.from({ length: 30 }, ask))) expect(error).toMatchObject(refused);
    expect(provider.requests).toHaveLength(calls);

    clock.advance(5_000);
    const [probe, ...others] = await Promise.all(Array.from({ length: 30 }, ask));
    expect(probe).toMatchObject({ code: 'provider_error' });
    for (const error of others) expect(error).toMatchObject({ code: 'no_provider_available', retryAfter: 1 });
    expect(provider.requests).toHaveLength(calls + 1);
    expect(await ask()).toMatchObject({ code: 'no_provider_available', retryAfter: 10 });
  });

  it('a late result of a request from before the circuit opened is not a probe', async () => {
    const slow = Promise.withResolvers<ChatResult>();
    const probe = Promise.withResolvers<ChatResult>();
    const script = [slow.promise, ...Array.from({ length: 3 }, () => fault('unreachable')), probe.promise];
    const provider = scriptedProvider([chatModel('m')], {
      async chat() {
        const next = script.shift();
        if (next instanceof Promise) return await next;
        throw next;
      },
    });
    const { gateway, clock } = await createTestGateway({ p: provider });
    const ask = () => gateway.chat({ messages, model: 'p/m' }, context).catch((error: unknown) => error);
    const early = ask();
    for (let count = 0; count < 3; count += 1) await ask();
    clock.advance(5_000);
    const probing = ask();
    slow.resolve(answer('late'));
    await early;
    expect(await ask()).toMatchObject({ code: 'no_provider_available' });
    probe.resolve(answer('well'));
    expect(await probing).toMatchObject({ model: 'p/m' });
    expect(provider.requests).toHaveLength(5);
  });

  it('a model that ignores the signal does not delay the caller beyond the deadline', async () => {
    const silent = scriptedProvider([chatModel('m')], { chat: () => new Promise<ChatResult>(() => undefined) });
    const { gateway } = await createTestGateway({ p: silent }, { timeoutMs: 20 });
    await expect(gateway.chat({ messages, model: 'p/m' }, context)).rejects.toMatchObject({ code: 'provider_timeout' });
  });

  it('a deadline of the caller does not count against the model', async () => {
    const silent = scriptedProvider([chatModel('m')], {
      chat: () => new Promise<ChatResult>(() => undefined),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
    });
    const { gateway, deployments, clock } = await createTestGateway({ p: silent }, { timeoutMs: 60_000 });
    const hurried = () => ({ ...context, deadline: clock.now() + 5 });
    for (let call = 0; call < 3; call += 1) {
      const timeout = { code: 'provider_timeout' };
      await expect(gateway.chat({ messages, model: 'p/m' }, hurried())).rejects.toMatchObject(timeout);
      await expect(gateway.streamChat({ messages, model: 'p/m' }, hurried())).rejects.toMatchObject(timeout);
    }
    expect(silent.requests).toHaveLength(6);
    expect(deployments.of('p/m').observations.read()).toMatchObject({ failureRate: 0, inFlight: 0 });
    expect(deployments.of('p/m').breaker.state()).toBe('closed');
  });

  it('a caller who leaves does not count against the model', async () => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<AbortSignal>();
    const silent = scriptedProvider([chatModel('m')], {
      chat(_, signal) {
        asked.resolve(signal);
        return new Promise<ChatResult>(() => undefined);
      },
    });
    const { gateway, deployments } = await createTestGateway({ p: silent });
    const gone = new Error('gone');
    const chat = gateway.chat({ messages, model: 'p/m' }, { ...context, signal: controller.signal });
    const signal = await asked.promise;
    controller.abort(gone);
    await expect(chat).rejects.toBe(gone);
    expect(signal.aborted).toBe(true);
    expect(deployments.of('p/m').observations.read()).toMatchObject({ failureRate: 0, inFlight: 0 });
  });
});

describe('several models', () => {
  it.each([
    'unreachable',
    'timeout',
    'redirect',
    'rejected',
    'auth',
    'model_gone',
    'busy',
    'rate_limited',
    'failed',
    'bad_response',
    'context_length',
    'unsupported',
  ] as const)('after %s the next model is called at once', async (kind) => {
    const first = failing(fault(kind));
    const { gateway } = await createTestGateway({ a: first, b: healthy() });
    const { model, message, route } = await gateway.chat({ messages }, context);
    expect([model, message.content]).toEqual(['b/m', 'healthy']);
    expect(route).toContain(`failed="a/m ${fault(kind).code}"`);
    expect(first.requests).toHaveLength(1);
  });

  it('a refused prompt is not sent to another model', async () => {
    const second = healthy();
    const { gateway } = await createTestGateway({ a: failing(fault('content_filter')), b: second });
    await expect(gateway.chat({ messages }, context)).rejects.toMatchObject({ code: 'content_filtered' });
    expect(second.requests).toEqual([]);
  });

  it.each(['context_length', 'unsupported'] as const)('%s does not count against a model', async (kind) => {
    const unable = scriptedProvider([chatModel('m')], { chat: () => Promise.reject(fault(kind)) });
    const { gateway, deployments } = await createTestGateway({ a: unable });
    for (let count = 0; count < 4; count += 1) {
      await expect(gateway.chat({ messages, model: 'a/m' }, context)).rejects.toMatchObject({ status: 422 });
    }
    expect([deployments.of('a/m').breaker.state(), deployments.of('a/m').observations.read().failureRate]).toEqual([
      'closed',
      0,
    ]);
  });

  const named = { messages, model: 'a/m', routing: { fallbacks: ['b/m'] } } as const;

  it.each(['unreachable', 'busy', 'failed'] as const)('after %s a named model is tried once more', async (kind) => {
    const once = failing(fault(kind));
    const { gateway } = await createTestGateway({ a: once, b: healthy() });
    expect((await gateway.chat(named, context)).message.content).toBe('recovered');
    const twice = failing(fault(kind), fault(kind), fault(kind));
    const other = await createTestGateway({ a: twice, b: healthy() });
    const { model, route } = await other.gateway.chat(named, context);
    expect([model, twice.requests.length]).toEqual(['b/m', 2]);
    expect(route).toContain('failed="a/m provider_error, a/m provider_error"');
  });

  it.each([
    'timeout',
    'redirect',
    'rejected',
    'auth',
    'model_gone',
    'bad_response',
    'context_length',
    'unsupported',
  ] as const)('after %s a named model is not tried again, but its fallback is', async (kind) => {
    const first = failing(fault(kind));
    const { gateway } = await createTestGateway({ a: first, b: healthy() });
    expect((await gateway.chat(named, context)).model).toBe('b/m');
    expect(first.requests).toHaveLength(1);
  });

  it('a named model that could not be connected to is not tried again', async () => {
    const refused = failing(providerError('unreachable', 'refused', { unsent: true }));
    const { gateway } = await createTestGateway({ a: refused, b: healthy() });
    expect((await gateway.chat(named, context)).model).toBe('b/m');
    expect(refused.requests).toHaveLength(1);
  });

  it('a named model is waited for if its Retry-After is short, and otherwise replaced at once', async () => {
    const short = failing(fault('rate_limited', '2'));
    const { gateway, clock } = await createTestGateway({ a: short, b: healthy() });
    const waiting = gateway.chat(named, context);
    await new Promise(setImmediate);
    clock.advance(2_000);
    expect((await waiting).message.content).toBe('recovered');
    const other = await createTestGateway({ a: failing(fault('rate_limited', '3')), b: healthy() });
    expect((await other.gateway.chat(named, context)).model).toBe('b/m');
  });

  it('the fallbacks of a named model are tried in order, each once', async () => {
    const second = failing(fault('failed'));
    const models = { a: failing(fault('timeout')), b: second, c: healthy() };
    const { gateway } = await createTestGateway(models);
    const routing = { fallbacks: ['b/m', 'c/m'] };
    expect((await gateway.chat({ ...named, routing }, context)).model).toBe('c/m');
    expect(second.requests).toHaveLength(1);
  });

  it('a provider whose key is refused is avoided, and tried again later', async () => {
    const first = failing(fault('auth'));
    const { gateway, clock } = await createTestGateway({ a: first, b: healthy() });
    await gateway.chat({ messages }, context);
    expect((await gateway.chat({ messages }, context)).route).not.toContain('failed');
    expect(first.requests).toHaveLength(1);
    clock.advance(5_000);
    expect((await gateway.chat({ messages }, context)).model).toBe('a/m');
  });

  it('the error lists all attempts when every model fails', async () => {
    const { gateway } = await createTestGateway({ a: failing(fault('timeout')), b: failing(fault('bad_response')) });
    await expect(gateway.chat({ messages }, context)).rejects.toMatchObject({
      code: 'provider_bad_response',
      extensions: {
        attempts: [
          { model: 'a/m', code: 'provider_timeout' },
          { model: 'b/m', code: 'provider_bad_response' },
        ],
      },
    });
  });

  it('the error lists the first attempts of each provider, counts the rest, and names the provider', async () => {
    const models = Array.from({ length: 12 }, (_, index) => chatModel(`m${index}`));
    const down = () => scriptedProvider(models, { chat: () => Promise.reject(fault('unreachable')) });
    const { gateway } = await createTestGateway({ a: down(), b: failing(fault('timeout')) });
    const error = (await gateway.chat({ messages }, context).catch((thrown: unknown) => thrown)) as PatchbayError;
    const attempts = error.extensions['attempts'] as readonly { model: string }[];
    expect(attempts.filter(({ model }) => model.startsWith('a/'))).toHaveLength(3);
    expect(attempts.filter(({ model }) => model.startsWith('b/'))).toHaveLength(1);
    expect(error.extensions['moreAttempts']).toEqual({ a: 9 });
    const alone = await createTestGateway({ a: down() });
    await expect(alone.gateway.chat({ messages }, context)).rejects.toMatchObject({
      message: 'a: upstream: unreachable',
    });
  });

  it('retries are at most a tenth of the requests', async () => {
    // A model for each request, so that no circuit opens.
    const models = Array.from({ length: 60 }, (_, index) => chatModel(`m${index}`));
    const down = scriptedProvider(models, { chat: () => Promise.reject(fault('busy')) });
    const { gateway } = await createTestGateway({ p: down }, { timeoutMs: 60_000 });
    const calls = models.map(({ name }) =>
      gateway.chat({ messages, model: `p/${name}` }, context).catch(() => undefined),
    );
    await Promise.all(calls);
    // 60 first tries, at most 6 earned and 10 in reserve.
    expect(down.requests.length).toBeGreaterThan(60);
    expect(down.requests.length).toBeLessThanOrEqual(76);
  });
});
