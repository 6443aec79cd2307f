import { getEventListeners } from 'node:events';
import { systemClock } from '@patchbay/contracts/base/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createRequestContext, type RequestContextOptions, RequestTracker } from './request-context.ts';

const caller = { id: 'key_1', kind: 'api-key', tenant: tenantId('acme'), scopes: [] } as const;

function open(options: Partial<RequestContextOptions> = {}) {
  const tracker = new RequestTracker();
  const lines: unknown[] = [];
  const write = (message: string, fields?: object) => lines.push({ message, ...fields });
  const host = {
    clock: systemClock,
    logger: { debug: write, info: write, warn: write, error: write },
    track: (onAbort?: (reason: unknown) => void) => tracker.track(onAbort),
  };
  const app = { host };
  return { tracker, lines, context: createRequestContext({ app, caller, requestId: 'request_1', ...options }) };
}

const abortOf = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

describe('createRequestContext', () => {
  it('logs with the request id', () => {
    const { context, lines } = open();
    context.logger.info('hello', { size: 3 });
    context.close();
    expect(lines).toEqual([{ message: 'hello', requestId: 'request_1', size: 3 }]);
  });

  it('a spread context keeps every member', () => {
    const { context } = open({ deadline: Date.now() + 60_000, trace: { traceparent: '00-1-2-01' } });
    const copy = { ...context, requestId: 'request_2' };
    expect(copy.signal).toBe(context.signal);
    expect(copy.deadline).toBe(context.deadline);
    expect(copy.trace).toEqual({ traceparent: '00-1-2-01' });
    context.close();
  });

  it('a context has no member for an absent value', () => {
    const { context } = open();
    context.close();
    expect('deadline' in context).toBe(false);
    expect('trace' in context).toBe(false);
  });

  it('aborts when the client leaves', () => {
    const client = new AbortController();
    const { context } = open({ signal: client.signal });
    client.abort(new Error('gone'));
    expect(context.signal.reason).toMatchObject({ message: 'gone' });
    context.close();
  });

  it('a context starts out aborted if the client has already left', () => {
    const { context } = open({ signal: AbortSignal.abort(new Error('gone')), deadline: Date.now() + 60_000 });
    expect(context.signal.reason).toMatchObject({ message: 'gone' });
    context.close();
  });

  it('aborts when the transport says so, with a reason that has a code', () => {
    const { context } = open();
    context.abort();
    expect(context.signal.reason).toMatchObject({ code: 'client_closed_request' });
    context.close();
  });

  it('aborts when the deadline passes', async () => {
    const { context } = open({ deadline: Date.now() + 5 });
    expect(await abortOf(context.signal)).toMatchObject({ name: 'TimeoutError' });
    context.close();
  });

  it('a context starts out aborted if the deadline has passed', () => {
    const { context } = open({ deadline: Date.now() - 1 });
    expect(context.signal.reason).toMatchObject({ name: 'TimeoutError' });
    context.close();
  });

  it('a deadline may lie beyond the longest timer', () => {
    const { context } = open({ deadline: Date.now() + 2 ** 33 });
    expect(context.signal.aborted).toBe(false);
    context.close();
  });

  it('aborts when the app stops, and keeps the first reason', () => {
    const { context, tracker } = open();
    tracker.abort(new PatchbayError('shutting_down', 'the server is shutting down'));
    context.abort();
    expect(context.signal.reason).toMatchObject({ code: 'shutting_down' });
    context.close();
  });

  it('leaves nothing behind: no listener, no timer, no request, and no late abort', async () => {
    const client = new AbortController();
    const { context, tracker } = open({ signal: client.signal, deadline: Date.now() + 60_000 });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    expect(getEventListeners(client.signal, 'abort')).toHaveLength(1);
    context.close();
    expect(getEventListeners(client.signal, 'abort')).toHaveLength(0);
    expect(timers()).toBe(before - 1);
    client.abort();
    context.abort();
    expect(context.signal.aborted).toBe(false);
    await tracker.idle(60_000);
  });
});

describe('RequestTracker', () => {
  it('a tracker without requests is idle at once', async () => {
    await expect(new RequestTracker().idle(60_000)).resolves.toBeUndefined();
  });

  it('a tracker is idle when the last request is done, however often done is called', async () => {
    const tracker = new RequestTracker();
    const first = tracker.track();
    const second = tracker.track();
    let idle = false;
    const waiting = tracker.idle(60_000).then(() => {
      idle = true;
    });
    first.done();
    first.done();
    await Promise.resolve();
    expect(idle).toBe(false);
    second.done();
    await waiting;
  });

  it('a tracker waits beyond the longest timer', async () => {
    const tracker = new RequestTracker();
    const request = tracker.track();
    let idle = false;
    const waiting = tracker.idle(Number.POSITIVE_INFINITY).then(() => {
      idle = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(idle).toBe(false);
    request.done();
    await waiting;
  });

  it('a tracker stops waiting at the timeout and then aborts the requests', async () => {
    const tracker = new RequestTracker();
    const reasons: unknown[] = [];
    tracker.track((reason) => reasons.push(reason));
    tracker.track();
    const done = tracker.track((reason) => reasons.push(reason));
    done.done();
    await tracker.idle(1);
    tracker.abort('drained');
    expect(reasons).toEqual(['drained']);
  });
});
