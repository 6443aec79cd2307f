import { describe, expect, it, vi } from 'vitest';
import { Admission, Tenants } from './admission.ts';

const signal = new AbortController().signal;

describe('Admission', () => {
  it('runs beyond the limit enter in order, as others leave', async () => {
    const admission = new Admission({ maxConcurrent: 2, queueTimeoutMs: 10_000, maxWaiting: 100 });
    const entered: string[] = [];
    const enter = async (name: string): Promise<void> => {
      await admission.enter('t', signal);
      entered.push(name);
    };
    await enter('a');
    await enter('b');
    const waiting = [enter('c'), enter('d')];
    expect(admission.running).toBe(2);
    admission.leave('t');
    await waiting[0];
    expect(entered).toEqual(['a', 'b', 'c']);
    admission.leave('t');
    await waiting[1];
    admission.leave('t');
    admission.leave('t');
    expect(admission.running).toBe(0);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('an aborted wait takes no place', async () => {
    const admission = new Admission({ maxConcurrent: 1, queueTimeoutMs: 10_000, maxWaiting: 100 });
    await admission.enter('t', signal);
    const controller = new AbortController();
    const waiting = admission.enter('t', controller.signal);
    controller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    admission.leave('t');
    expect(admission.running).toBe(0);
    await expect(admission.enter('t', controller.signal)).rejects.toThrow('left');
    expect(admission.running).toBe(0);
  });

  it('a wait that is too long is refused, and so are all once it is closed', async () => {
    const admission = new Admission({ maxConcurrent: 1, queueTimeoutMs: 1, maxWaiting: 100 });
    await admission.enter('t', signal);
    await expect(admission.enter('t', signal)).rejects.toMatchObject({ code: 'overloaded', retryAfter: 1 });
    const patient = new Admission({ maxConcurrent: 1, queueTimeoutMs: 10_000, maxWaiting: 100 });
    await patient.enter('t', signal);
    const waiting = patient.enter('t', signal);
    patient.close();
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down', retryAfter: 1 });
    await expect(patient.enter('t', signal)).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('tenants take turns, however many runs of one of them wait', async () => {
    const admission = new Admission({ maxConcurrent: 1, queueTimeoutMs: 10_000, maxWaiting: 100 });
    await admission.enter('a', signal);
    const entered: string[] = [];
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
    const waiting = names.map(async (name) => {
      await admission.enter(name.charAt(0), signal);
      entered.push(name);
      admission.leave('a');
    });
    admission.leave('a');
    await Promise.all(waiting);
    expect(entered).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    expect([admission.running, admission.waiting]).toEqual([0, 0]);
  });

  it('a run is refused at once when the queue is full', async () => {
    const admission = new Admission({ maxConcurrent: 1, queueTimeoutMs: 10_000, maxWaiting: 1 });
    await admission.enter('a', signal);
    const waiting = admission.enter('a', signal);
    await expect(admission.enter('b', signal)).rejects.toMatchObject({ code: 'overloaded', retryAfter: 1 });
    admission.leave('a');
    await waiting;
    admission.leave('a');
    expect(admission.running).toBe(0);
  });

  it('the last place is kept for a tenant without a run while several are active', async () => {
    const admission = new Admission({ maxConcurrent: 3, queueTimeoutMs: 10_000, maxWaiting: 100 });
    for (let n = 0; n < 3; n++) await admission.enter('a', signal);
    expect(admission.running).toBe(3);
    for (let n = 0; n < 3; n++) admission.leave('a');
    await admission.enter('b', signal);
    admission.leave('b');

    await admission.enter('a', signal);
    await admission.enter('a', signal);
    const third = admission.enter('a', signal);
    expect([admission.running, admission.waiting]).toEqual([2, 1]);
    await admission.enter('b', signal);
    expect(admission.tryEnter('b')).toBe(false);
    admission.leave('b');
    expect([admission.running, admission.waiting]).toEqual([2, 1]);
    admission.leave('a');
    await third;
    expect([admission.running, admission.waiting]).toEqual([2, 0]);
  });

  it('no place stays empty that a waiting run may have', async () => {
    const admission = new Admission({ maxConcurrent: 4, queueTimeoutMs: 10_000, maxWaiting: 100 });
    for (const tenant of ['b', 'a', 'a']) await admission.enter(tenant, signal);
    await admission.enter('c', signal);
    const waiting = [admission.enter('a', signal), admission.enter('b', signal)];
    admission.leave('c');
    expect([admission.running, admission.waiting]).toEqual([3, 2]);
    admission.leave('b');
    await Promise.all(waiting);
    expect([admission.running, admission.waiting]).toEqual([4, 0]);
  });

  it('no run overtakes those that already wait for a free slot', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const admission = new Admission({ maxConcurrent: 2, queueTimeoutMs: 10_000, maxWaiting: 100 });
      await admission.enter('b', signal);
      admission.leave('b');
      await admission.enter('a', signal);
      const entered: string[] = [];
      const first = admission.enter('a', signal).then(() => entered.push('first'));
      expect(admission.waiting).toBe(1);
      // The last place was kept for the other tenant, which is not about any more.
      vi.advanceTimersByTime(60_000);
      const second = admission.enter('a', signal).then(() => entered.push('second'));
      await first;
      expect(entered).toEqual(['first']);
      admission.leave('a');
      await second;
      expect(entered).toEqual(['first', 'second']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('Tenants', () => {
  it('runs are counted by tenant', () => {
    const tenants = new Tenants();
    tenants.enter('a');
    tenants.enter('a');
    tenants.enter('b');
    tenants.leave('a');
    expect([tenants.runsOf('a'), tenants.runsOf('b'), tenants.runsOf('c')]).toEqual([1, 1, 0]);
  });

  it('a tenant is active while it has a run, and for a minute after', () => {
    const tenants = new Tenants();
    tenants.enter('a', 0);
    expect([tenants.isAlone('a', 0), tenants.isAlone('b', 0)]).toEqual([true, false]);
    tenants.enter('b', 1000);
    tenants.leave('b', 2000);
    expect([tenants.isAlone('a', 61_000), tenants.isAlone('a', 62_000)]).toEqual([false, true]);
    // Its run is still in progress.
    expect(tenants.isAlone('b', 100_000)).toBe(false);
    tenants.enter('a', 200_000);
    expect(tenants.runsOf('a')).toBe(2);
  });
});
