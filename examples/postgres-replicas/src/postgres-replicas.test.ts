import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { canStartPostgres } from '@patchbay/postgres-for-tests';
import { expect, it } from 'vitest';

const example = fileURLToPath(new URL('./postgres-replicas.ts', import.meta.url));

it.skipIf(!canStartPostgres())(
  'the example runs, restarts its replicas without a failed request, and stops',
  { timeout: 120_000 },
  async () => {
    const child = spawn(process.execPath, ['--conditions=source', example], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        NODE_OPTIONS: process.env['PATCHBAY_TEST_NODE_OPTIONS'],
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line.replaceAll(/http:\S+/g, 'http://…'));
      if (line.startsWith('running')) child.kill('SIGINT');
    }
    expect((await exited)[0]).toBe(0);
    expect(lines).toEqual([
      'replicas   http://… http://…',
      'worker     http://…',
      'balancer   http://…',
      'created    by replica 1',
      'executed   by replica 2: {"greeting":"Hello, Ada"}',
      'executed   by replica 1: {"greeting":"Hello, Grace"}',
      'executed   by the worker: {"greeting":"Hello, Edsger"}',
      expect.stringMatching(/^restarted {2}both replicas; meanwhile [1-9]\d* requests were answered, and 0 failed$/),
      'running    until Ctrl-C',
      'stopped    everything',
    ]);
  },
);
