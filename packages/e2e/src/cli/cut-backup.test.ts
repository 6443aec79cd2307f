import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliRun, runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';

// A backup that lost its end: a full disk, a broken copy.

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const storage = 'storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }';
const authenticator = 'authenticators: { keys: { use: "@patchbay/auth-api-key" } }';

function installation(name: string): string {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  writeFileSync(
    join(cwd, 'patchbay.config.yaml'),
    `patchbay: 1\n${storage}\n${authenticator}\nsecret: ${'s'.repeat(40)}\n`,
  );
  return cwd;
}

describe('patchbay restore', () => {
  const backup = join(folder, 'whole.jsonl');
  let made: CliRun;
  let lines: readonly string[];
  beforeAll(async () => {
    const cwd = installation('source');
    for (const name of ['a', 'b', 'c']) await runCli({ cwd }, 'keys', 'create', '--name', name, '--scope', '*');
    made = await runCli({ cwd }, 'backup', backup);
    lines = readFileSync(backup, 'utf8').trimEnd().split('\n');
  });

  it('restore gets a backup with an end, which names as many rows as backup said', () => {
    const rows = lines.length - 2;
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining(`wrote ${rows} rows`) });
    expect(lines.at(-1)).toBe(`{"patchbay":"end","rows":${rows}}`);
  });

  it.each([
    ['after a line', (whole: readonly string[]) => `${whole.slice(0, 4).join('\n')}\n`, 'line 4: the dump stops here'],
    ['within a line', (whole: readonly string[]) => whole.join('\n').slice(0, -5), 'is not JSON'],
  ])('restore stores nothing of a backup that was cut off %s, from a file or a pipe', async (where, cut, message) => {
    const cwd = installation(where);
    const text = cut(lines);
    writeFileSync(join(cwd, 'cut.jsonl'), text);
    for (const [file, input] of [
      ['cut.jsonl', ''],
      ['-', text],
    ] as const) {
      const { code, stderr } = await runCli({ cwd, input }, 'restore', file);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    expect(await runCli({ cwd }, 'keys', 'list')).toMatchObject({ code: 0, stdout: '' });
    // So that the storage is still an empty one.
    const restored = await runCli({ cwd, input: lines.join('\n') }, 'restore', '-', '--json');
    expect([restored.code, JSON.parse(restored.stdout)]).toEqual([0, { restored: lines.length - 2, present: 0 }]);
  });
});
