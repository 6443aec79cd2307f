import { describe, expect, it } from 'vitest';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createObservations } from './deployments.ts';

describe('observations', () => {
  it('observations are empty before the first call', () => {
    expect(createObservations(createStoppedClock()).read()).toEqual({ failureRate: 0, inFlight: 0, recent: 0 });
  });

  it('observations count calls in progress, and those begun within about a second', () => {
    const clock = createStoppedClock();
    const observations = createObservations(clock);
    observations.started();
    observations.started();
    observations.ended();
    expect(observations.read()).toEqual({ failureRate: 0, inFlight: 1, recent: 2 });
    clock.advance(1_000);
    observations.started();
    expect(observations.read()).toEqual({ failureRate: 0, inFlight: 2, recent: 1 + 2 / Math.E });
  });

  it('observations are the same for 50 ms, unless a call begins or ends', () => {
    const clock = createStoppedClock();
    const observations = createObservations(clock);
    observations.started();
    const read = observations.read();
    clock.advance(49);
    expect(observations.read()).toBe(read);
    clock.advance(1);
    expect(observations.read()).toEqual({ failureRate: 0, inFlight: 1, recent: Math.exp(-0.05) });
    observations.ended({ failed: true });
    expect(observations.read()).toMatchObject({ failureRate: 0.1, inFlight: 0 });
    observations.started();
    expect(observations.read().inFlight).toBe(1);
  });

  it('observations split the time of a stream at its first token', () => {
    const observations = createObservations(createStoppedClock());
    observations.ended({ failed: false, totalMs: 1_100, firstTokenMs: 100, outputTokens: 50 });
    expect(observations.read()).toMatchObject({ firstTokenMs: 100, msPerToken: 20, outputTokens: 50 });
  });

  it('averages follow a slow-down at once and forget it slowly', () => {
    const clock = createStoppedClock();
    const observations = createObservations(clock);
    const call = (firstTokenMs: number) =>
      observations.ended({ failed: false, totalMs: firstTokenMs, firstTokenMs, outputTokens: 0 });
    call(100);
    call(1_100);
    expect(observations.read().firstTokenMs).toBe(600);
    call(100);
    expect(observations.read().firstTokenMs).toBeCloseTo(550);
    clock.advance(5_000);
    call(100);
    expect(observations.read().firstTokenMs).toBeCloseTo(100 + 450 * 0.9 * Math.exp(-1));
  });

  it('averages adopt the first response after a long silence', () => {
    const clock = createStoppedClock();
    const observations = createObservations(clock);
    const call = (totalMs: number, firstTokenMs: number) =>
      observations.ended({ failed: false, totalMs, firstTokenMs, outputTokens: 10 });
    call(9_000, 4_000);
    clock.advance(15_000);
    call(200, 100);
    expect(observations.read()).toMatchObject({ firstTokenMs: 100, msPerToken: 10 });
  });

  it('observations have the age of the last response that was not a failure', () => {
    const clock = createStoppedClock();
    const observations = createObservations(clock);
    observations.ended({ failed: false, totalMs: 1, outputTokens: 1 });
    clock.advance(7_000);
    observations.ended({ failed: true });
    expect(observations.read().latencyAgeMs).toBe(7_000);
    observations.ended({ failed: false, totalMs: 1, outputTokens: 1 });
    expect(observations.read().latencyAgeMs).toBe(0);
  });

  it('the failure rate rises with failures and falls with successes', () => {
    const observations = createObservations(createStoppedClock());
    observations.ended({ failed: true });
    expect(observations.read().failureRate).toBeCloseTo(0.1);
    observations.ended({ failed: false, totalMs: 1, outputTokens: 1 });
    expect(observations.read().failureRate).toBeCloseTo(0.095);
  });

  it('failures fade without calls', () => {
    const clock = createStoppedClock();
    const observations = createObservations(clock);
    for (let round = 0; round < 3; round += 1) observations.ended({ failed: true });
    expect(observations.read().failureRate).toBeCloseTo(0.271);
    clock.advance(10_000);
    expect(observations.read().failureRate).toBeCloseTo(0.0997);
    observations.ended({ failed: true });
    expect(observations.read().failureRate).toBeCloseTo(0.19, 2);
    clock.advance(60_000);
    expect(observations.read().failureRate).toBeLessThan(0.001);
  });
});
