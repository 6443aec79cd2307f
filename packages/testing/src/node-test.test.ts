import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

describe('the conformance suites', () => {
  it('run under node:test as well', { timeout: 60_000 }, async () => {
    const fixture = new URL('./fixtures/suites-of-node-test.ts', import.meta.url).pathname;
    // A child of node:test would report to its parent instead of running by itself.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, ['--conditions=source', '--test', '--test-reporter=tap', fixture], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>]);
    expect(output).toMatch(/^# pass [1-9]\d\d$/m);
    expect(output).toMatch(/^# fail 0$/m);
    expect(code).toBe(0);
  });
});
