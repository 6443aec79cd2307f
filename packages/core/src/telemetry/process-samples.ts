import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Sample } from './metric-registry.ts';

/** Milliseconds between two looks at the event loop. */
const RESOLUTION_MS = 20;
const NANO = 1e9;

/** Watches this process. `stop` has to be called. */
export function createProcessSamples(): { samples(): readonly Sample[]; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // What was measured is the time between two looks; only what it is longer than planned is delay.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds - RESOLUTION_MS * 1e6) / NANO;
  return {
    samples() {
      const { rss, heapUsed } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const lags = [delay.percentile(50), delay.percentile(99), delay.max].map((each) => seconds(each || 0));
      delay.reset();
      return [
        { name: 'nodejs.eventloop.delay.p50', value: lags[0] ?? 0 },
        { name: 'nodejs.eventloop.delay.p99', value: lags[1] ?? 0 },
        { name: 'nodejs.eventloop.delay.max', value: lags[2] ?? 0 },
        { name: 'process.cpu.time', value: user / 1e6, attributes: { 'cpu.mode': 'user' } },
        { name: 'process.cpu.time', value: system / 1e6, attributes: { 'cpu.mode': 'system' } },
        { name: 'process.memory.usage', value: rss },
        { name: 'v8js.memory.heap.used', value: heapUsed },
        { name: 'process.uptime', value: process.uptime() },
      ];
    },
    stop: () => delay.disable(),
  };
}
