import { writeSync } from 'node:fs';

// Preloaded into a server: on SIGUSR2 it reports the most CPU time, in milliseconds, that the main thread used in one
// turn of the event loop since it was last asked. CPU time and not wall-clock time: a busy machine changes it little.
//
// A timer that is due fires in every turn. What was used between two of its runs is therefore one turn, plus at most a
// millisecond of others.

const TICK_MS = 1;

const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let longest = 0;
let before = usedMs();

function tick(): void {
  const now = usedMs();
  longest = Math.max(longest, now - before);
  before = now;
}

setInterval(tick, TICK_MS).unref();

process.on('SIGUSR2', () => {
  tick();
  writeSync(2, `longest turn: ${longest.toFixed(1)} ms\n`);
  longest = 0;
  before = usedMs();
});
