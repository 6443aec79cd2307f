import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Sample } from '@patchbay/contracts/telemetry';

/** Milliseconds between two measurements of the event loop. */
const RESOLUTION_MS = 20;
const NANO = 1e9;

/** Watches this process. The caller must call `stop`. */
export function createProcessSamples(): { samples(): readonly Sample[]; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // The histogram holds the time between two samples: only the excess over the planned interval is delay.
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
        ...openFiles(),
        { name: 'v8js.memory.heap.used', value: heapUsed },
        { name: 'v8js.memory.heap.limit', value: getHeapStatistics().heap_size_limit },
        { name: 'process.uptime', value: process.uptime() },
      ];
    },
    stop: () => delay.disable(),
  };
}

function openFiles(): readonly Sample[] {
  try {
    // One of them is the folder that is being read.
    return [{ name: 'process.unix.file_descriptor.count', value: readdirSync('/proc/self/fd').length - 1 }];
  } catch {
    return [];
  }
}
