// A process of the host that holds secrets in its environment, its command line and an open file, and says on stdout
// that it is there, and what signals reach it: `node canary-process.ts <secret> <file>`.
import { openSync } from 'node:fs';

openSync(process.argv[3] ?? '', 'r');
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGCONT', 'SIGUSR2'] as const) {
  process.on(signal, () => process.stdout.write(`${signal}\n`));
}
process.stdout.write('ready\n');
process.stdin.resume().on('end', () => process.exit(0));
