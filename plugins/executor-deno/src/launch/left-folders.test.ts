import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHostFolder } from './host-folder.ts';
import { openProcessSocket } from './launch-helper.ts';

const entry = fileURLToPath(new URL('./main.ts', import.meta.url));

describe.runIf(process.platform === 'linux')('a launch helper whose server is gone', () => {
  let temporary = '';
  beforeEach(async () => {
    temporary = await mkdtemp(path.join(tmpdir(), 'left-folders-'));
    vi.stubEnv('TMPDIR', temporary);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(temporary, { recursive: true });
  });

  /** Have a helper start a process for a socket in a folder, and leave it. */
  async function leave(folder: string): Promise<void> {
    const meeting = await openProcessSocket(folder);
    meeting.accept(() => undefined);
    meeting.accept(() => undefined);
    const helper = fork(entry, { execArgv: ['--conditions=source', '--no-warnings'] });
    const started = once(helper, 'message');
    const command = { file: 'sleep', arguments: ['100'] };
    helper.send({ kind: 'start', id: 1, command, socketPath: meeting.socketPath });
    expect(await started).toMatchObject([{ kind: 'started', id: 1 }, undefined]);
    const exited = once(helper, 'exit');
    helper.disconnect();
    await exited;
    await meeting.close();
  }

  it('the folder of the server is removed', async () => {
    const folder = await createHostFolder();
    await leave(folder);
    expect(existsSync(folder)).toBe(false);
  });

  it('no other folder is removed, wherever the sockets are', async () => {
    const folder = await mkdtemp(path.join(temporary, 'patchbay-'));
    const file = path.join(folder, 'of somebody else');
    await writeFile(file, '');
    await leave(folder);
    await writeFile(path.join(folder, 'owner'), JSON.stringify({ pid: 1, startedAt: '1', namespace: '1' }));
    await leave(folder);
    await leave(temporary);
    expect(existsSync(file)).toBe(true);
  });
});
