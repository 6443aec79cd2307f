import { describe, expect, it } from 'vitest';
import { RequestTracker } from './request-tracker.ts';

describe('RequestTracker', () => {
  it('is idle at once where nothing is under way', async () => {
    await expect(new RequestTracker().idle(60_000)).resolves.toBeUndefined();
  });

  it('is idle when the last request is done, however often that is said', async () => {
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

  it('can wait for as long as it takes', async () => {
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

  it('stops waiting after the time it was given, and then tells the requests', async () => {
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
