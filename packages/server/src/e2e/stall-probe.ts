import { writeSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** After a reset the first interval is not counted, so it has to pass before the next measurement. */
const SETTLE_MS = 10;

// Preloaded into a server: on SIGUSR2 it says for how many milliseconds nothing could run, and begins again.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  const longest = (delay.max / 1e6).toFixed(1);
  delay.reset();
  setTimeout(() => writeSync(2, `stalled for ${longest} ms\n`), SETTLE_MS);
});
