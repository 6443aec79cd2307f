import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHostFolder, sweepHostFolders } from './host-folder.ts';

describe.runIf(process.platform === 'linux')('sweepHostFolders', () => {
  let temporary = '';
  beforeEach(async () => {
    temporary = await mkdtemp(path.join(tmpdir(), 'host-folder-'));
    vi.stubEnv('TMPDIR', temporary);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(temporary, { recursive: true });
  });

  /** Give a folder another owner. */
  async function change(folder: string, owner: object): Promise<void> {
    const file = path.join(folder, 'owner');
    await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), ...owner }));
  }

  it('the folder of a living host stays', async () => {
    const folder = await createHostFolder();
    expect(sweepHostFolders()).toBe(0);
    expect(await readdir(temporary)).toEqual([path.basename(folder)]);
  });

  it('the folder of a dead host is removed, and its processes end', async () => {
    const folder = await createHostFolder();
    await mkdir(path.join(folder, 'slot'));
    await change(folder, { startedAt: '1' });
    const kept = spawn('sleep', ['100']);
    const left = spawn('sh', ['-c', 'sleep 100; true', path.join(folder, 'slot', 's')]);
    await Promise.all([once(kept, 'spawn'), once(left, 'spawn')]);
    const ended = once(left, 'exit');
    expect(sweepHostFolders()).toBe(1);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await readdir(temporary)).toEqual([]);
    expect(kept.exitCode).toBeNull();
    kept.kill();
  });

  it('unknown folders stay', async () => {
    const other = await createHostFolder();
    await change(other, { startedAt: '1', namespace: '1' });
    await mkdir(path.join(temporary, 'patchbay-empty'));
    await mkdir(path.join(temporary, 'patchbay-broken'));
    await writeFile(path.join(temporary, 'patchbay-broken', 'owner'), '{');
    await writeFile(path.join(temporary, 'patchbay-file'), '');
    expect(sweepHostFolders()).toBe(0);
    expect(await readdir(temporary)).toHaveLength(4);
  });
});
