import type { Feedback, Run } from './simulate.ts';
import type { Event } from './simulated-world.ts';

export interface Scenario {
  readonly name: string;
  readonly feedback: Feedback;
  readonly callsPerFunction: number;
  /** Calls of each function that are measured. */
  readonly measured: { readonly from: number; readonly to: number };
  readonly events: readonly Event[];
  readonly replicas?: number;
  /** Calls of all functions after which a replica restarts, with the counters that were flushed. */
  readonly restartEvery?: number;
}

const all: Feedback = { happy: 1, unhappy: 1, delay: 0 };
const early = { callsPerFunction: 4_000, measured: { from: 2_000, to: 4_000 }, events: [] };
const late = { callsPerFunction: 22_000, measured: { from: 20_000, to: 22_000 }, events: [] };
const whole = { callsPerFunction: 4_000, measured: { from: 0, to: 4_000 } };

export const scenarios: readonly Scenario[] = [
  { name: 'all', feedback: all, ...early },
  { name: 'delayed', feedback: { ...all, delay: 500 }, ...early },
  { name: 'biased', feedback: { happy: 0.2, unhappy: 0.6, delay: 0 }, ...early },
  { name: 'none', feedback: { happy: 0, unhappy: 0, delay: 0 }, ...early },
  { name: 'tenth', feedback: { happy: 0.1, unhappy: 0.1, delay: 0 }, ...late },
  { name: 'all, late', feedback: all, ...late },
  { name: 'whole', feedback: all, ...whole, events: [] },
  { name: 'step', feedback: all, ...whole, events: [{ kind: 'step', from: 0.4, to: 0.8, loss: 0.3 }] },
  { name: 'ramp', feedback: all, ...whole, events: [{ kind: 'ramp', from: 0.3, to: 0.9, loss: 0.3 }] },
  { name: 'outage', feedback: all, ...whole, events: [{ kind: 'outage', from: 0.5, to: 0.53 }] },
  { name: 'arrival', feedback: all, ...whole, events: [{ kind: 'arrival', from: 0.5 }] },
  { name: 'replicas', feedback: all, ...early, replicas: 3, restartEvery: 2_000 },
];

export function runOf(scenario: Scenario, seed: number, size = 1): Run {
  const { callsPerFunction, measured, feedback } = scenario;
  return {
    seed,
    feedback,
    callsPerFunction: Math.round(callsPerFunction * size),
    measured: { from: measured.from / callsPerFunction, to: measured.to / callsPerFunction },
    msBetweenCalls: 250,
  };
}
