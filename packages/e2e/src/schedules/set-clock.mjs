import { readFileSync } from 'node:fs';

// Preloaded into servers: their clock is ahead by as many milliseconds as a file says, which is read at SIGUSR2.

const file = process.env.CLOCK_FILE;
const now = Date.now.bind(Date);
let aheadMs = 0;

function read() {
  aheadMs = Number(readFileSync(file, 'utf8'));
}

read();
Date.now = () => now() + aheadMs;
process.on('SIGUSR2', read);
