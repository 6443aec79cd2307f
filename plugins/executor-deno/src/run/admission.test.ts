import { describe, expect, it } from 'vitest';
import { Admission } from './admission.ts';

const signal = new AbortController().signal;

describe('Admission', () => {
  it('lets so many in, and the next one when one leaves, in order', async () => {
    const admission = new Admission({ maxConcurrent: 2, queueTimeoutMs: 10_000 });
    const entered: string[] = [];
    const enter = async (name: string): Promise<void> => {
      await admission.enter(signal);
      entered.push(name);
    };
    await enter('a');
    await enter('b');
    const waiting = [enter('c'), enter('d')];
    expect(admission.running).toBe(2);
    admission.leave();
    await waiting[0];
    expect(entered).toEqual(['a', 'b', 'c']);
    admission.leave();
    await waiting[1];
    admission.leave();
    admission.leave();
    expect(admission.running).toBe(0);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives the place of one who gave up to nobody', async () => {
    const admission = new Admission({ maxConcurrent: 1, queueTimeoutMs: 10_000 });
    await admission.enter(signal);
    const controller = new AbortController();
    const waiting = admission.enter(controller.signal);
    controller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    admission.leave();
    expect(admission.running).toBe(0);
    await expect(admission.enter(controller.signal)).rejects.toThrow('left');
    expect(admission.running).toBe(0);
  });

  it('refuses who waits too long, and everybody once it is closed', async () => {
    const admission = new Admission({ maxConcurrent: 1, queueTimeoutMs: 1 });
    await admission.enter(signal);
    await expect(admission.enter(signal)).rejects.toMatchObject({ code: 'overloaded', retryAfter: 1 });
    const patient = new Admission({ maxConcurrent: 1, queueTimeoutMs: 10_000 });
    await patient.enter(signal);
    const waiting = patient.enter(signal);
    patient.close();
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down', retryAfter: 1 });
    await expect(patient.enter(signal)).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
