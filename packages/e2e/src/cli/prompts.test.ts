import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { patchbayFile } from '../driver/patchbay-file.ts';
import { newFolder } from '../driver/run-server.ts';

// Prompts at a terminal, which `script` of util-linux makes.

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform !== 'linux' || !existsSync('/usr/bin/script'))('Ctrl-D', () => {
  it.each([
    ['keys revoke key_1', 'for good', 1, 'nothing was revoked'],
    ['chat', 'You', 0, ''],
  ])('ends the prompt of patchbay %s', async (line, question, exitCode, said) => {
    // A terminal without a size would have a line for each letter.
    const command = `stty cols 120 rows 40; ${process.execPath} --conditions=source ${patchbayFile} ${line}`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        HOME: folder,
        TERM: 'xterm',
      },
    });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const before = shown.includes(question);
      shown += chunk.toString();
      if (!before && shown.includes(question)) child.stdin.write('\x04');
    });
    const [code] = (await once(child, 'close')) as [number];
    expect([code, shown]).toEqual([exitCode, expect.stringContaining(said)]);
    expect(shown).not.toContain('unsettled');
  });
});
