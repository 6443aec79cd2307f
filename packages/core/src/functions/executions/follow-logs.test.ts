import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../../app/app.ts';
import { context, createFunction, createGround, type Ground, type Host, input } from './fixtures/execution-app.ts';
import type { LogEvent, LogPlace } from './follow-logs.ts';

const hosts: Host[] = [];

async function start(ground: Ground, ...given: Parameters<Ground['host']>): Promise<Host> {
  const host = await ground.host(...given);
  hosts.push(host);
  return host;
}

async function setUp(...given: Parameters<Ground['host']>) {
  const ground = createGround();
  const host = await start(ground, ...given);
  return { ground, host, app: host.app, id: await createFunction(host) };
}

/** Collects what a follower gets, each as a short string. */
async function follow(app: App, id: string, from?: LogPlace, signal = context.signal) {
  const events: string[] = [];
  const stream = await app.services.executions.followLogs(id, from, { ...context, signal });
  const done = (async () => {
    for await (const event of stream) events.push(textOf(event));
    return events;
  })();
  // The caller that waits for it sees how it failed.
  done.catch(() => undefined);
  return { events, done };
}

function textOf(event: LogEvent): string {
  if (event.kind === 'line') return `${event.place.attempt}-${event.place.lines} ${event.line.message}`;
  return event.kind === 'end' ? `end ${event.status}` : event.kind;
}

afterEach(async () => {
  for (const { app } of hosts.splice(0)) await app.host.stop(0);
});

describe('following logs', () => {
  it('waits for a queued execution, then yields its lines as they come, and its end', async () => {
    const { app, host, id } = await setUp({ asyncConcurrency: 1 });
    await app.services.executions.enqueue(id, input, context);
    const first = await host.run(1);
    const { id: waiting } = await app.services.executions.enqueue(id, input, context);
    const early = await follow(app, waiting);
    first.complete();
    const run = await host.run(2);
    run.log('one');
    await expect.poll(() => early.events).toEqual(['1-1 one']);
    const late = await follow(app, waiting);
    await expect.poll(() => late.events).toEqual(['1-1 one']);
    run.log('two');
    await expect.poll(() => [early.events.length, late.events.length]).toEqual([2, 2]);
    run.complete();
    const all = ['1-1 one', '1-2 two', 'end completed'];
    expect(await early.done).toEqual(all);
    expect(await late.done).toEqual(all);
    expect(await (await follow(app, waiting)).done).toEqual(all);
    expect(await (await follow(app, waiting, { attempt: 1, lines: 1 })).done).toEqual(all.slice(1));
    expect(await (await follow(app, waiting, { attempt: 1, lines: 9 })).done).toEqual(['end completed']);
  });

  it('yields the end of an execution that never runs', async () => {
    const { app, host, id } = await setUp({ asyncConcurrency: 1 });
    await app.services.executions.enqueue(id, input, context);
    await host.run(1);
    const { id: waiting } = await app.services.executions.enqueue(id, input, context);
    const follower = await follow(app, waiting);
    await app.services.executions.cancel(waiting, context);
    expect(await follower.done).toEqual(['end cancelled']);
  });

  it('yields the lines of an execution in another process when it ends', async () => {
    const { app, host, ground, id } = await setUp();
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    const run = await host.run(1);
    run.log('there');
    const other = await start(ground);
    const follower = await follow(other.app, execution);
    expect(await other.app.services.executions.logs(execution, context)).toMatchObject({
      status: 'running',
      lines: [],
    });
    run.complete();
    expect(await follower.done).toEqual(['1-1 there', 'end completed']);
  });

  it('starts over with a second run', async () => {
    const { app, host, ground, id } = await setUp({ retryInterrupted: true });
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    (await host.run(1)).log('lost');
    const before = await follow(app, execution);
    await expect.poll(() => before.events).toEqual(['1-1 lost']);
    await app.host.stop(0);
    const next = await start(ground, { retryInterrupted: true });
    const run = await next.run(1);
    run.log('one');
    const follower = await follow(next.app, execution, { attempt: 1, lines: 1 });
    run.complete();
    expect(await follower.done).toEqual(['2-1 one', 'end completed']);
  });

  it('ends when the follower leaves, and leaves nothing behind', async () => {
    const { app, host, id } = await setUp();
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    const run = await host.run(1);
    const left = new AbortController();
    const follower = await follow(app, execution, undefined, left.signal);
    run.log('one');
    await expect.poll(() => follower.events).toEqual(['1-1 one']);
    left.abort(new Error('left'));
    await expect(follower.done).rejects.toThrow('left');
    run.complete();
  });

  it('ends at once on a server that stops while the execution is queued', async () => {
    const { app, host, id } = await setUp({ asyncConcurrency: 1 });
    await app.services.executions.enqueue(id, input, context);
    const first = await host.run(1);
    const running = await follow(app, first.job.executionId);
    const { id: waiting } = await app.services.executions.enqueue(id, input, context);
    const follower = await follow(app, waiting);
    const stopped = app.host.stop(60_000);
    await expect(follower.done).rejects.toMatchObject({ code: 'shutting_down' });
    first.log('last');
    first.complete();
    expect(await running.done).toEqual(['1-1 last', 'end completed']);
    await stopped;
  });

  it('yields an idle event if nothing is new for a while', async () => {
    const { app, host, ground, id } = await setUp({ asyncConcurrency: 1 });
    await app.services.executions.enqueue(id, input, context);
    const first = await host.run(1);
    const { id: waiting } = await app.services.executions.enqueue(id, input, context);
    const follower = await follow(app, waiting);
    ground.clock.advance(15_000);
    await expect.poll(() => follower.events).toEqual(['idle']);
    await app.services.executions.cancel(waiting, context);
    expect(await follower.done).toEqual(['idle', 'end cancelled']);
    first.complete();
  });

  it('is refused to another tenant', async () => {
    const { app, host, id } = await setUp();
    const { id: execution } = await app.services.executions.enqueue(id, input, context);
    (await host.run(1)).complete();
    const caller = { ...context.caller, tenant: 'other' as typeof context.caller.tenant };
    const missing = { code: 'execution_not_found' };
    await expect(
      app.services.executions.followLogs(execution, undefined, { ...context, caller }),
    ).rejects.toMatchObject(missing);
    await expect(app.services.executions.logs(execution, { ...context, caller })).rejects.toMatchObject(missing);
    await expect(app.services.executions.logs('execution_x', context)).rejects.toMatchObject(missing);
  });
});
