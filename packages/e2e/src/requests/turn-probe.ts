import { writeSync } from 'node:fs';
import { watchTurns } from './watch-turns.ts';

// Preloaded into a server: on SIGUSR2 it reports the longest turn of the event loop since it was last asked.

const turns = watchTurns();

process.on('SIGUSR2', () => {
  writeSync(2, `longest turn: ${turns.longest().toFixed(1)} ms\n`);
});
