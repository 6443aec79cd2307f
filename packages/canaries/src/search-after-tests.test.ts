import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const script = `
import { startVitest } from 'vitest/node';
await startVitest('test', [], { root: ${JSON.stringify(root)}, watch: false, include: ['packages/canaries/src/fixtures/leaking-tests.ts'] });
`;

it('fails a run whose tests all passed, and names file, test and place', async () => {
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], NO_COLOR: '1' };
    const child = execFile(
      process.execPath,
      ['--input-type=module', '-e', script],
      { cwd: root, env },
      (_, out, error) => resolve({ code: child.exitCode ?? -1, output: out + error }),
    );
  });
  expect(output).toContain('FAIL  packages/canaries/src/fixtures/leaking-tests.ts');
  expect(output).toMatch(
    /planted secrets got out:\s+a canary in the log, during or soon after "tells a secret": the key canary-/,
  );
  expect(output).toContain('a secret that was handed out in hex in the log, during or soon after "tells a secret that');
  expect(output).toContain('2 passed, 0 failed');
  expect(code).toBe(1);
});
