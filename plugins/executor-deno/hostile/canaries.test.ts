import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Canaries, plantCanaries } from './canaries.ts';

// The suite of hostile programs is worth as much as what it would notice.
describe.runIf(process.platform === 'linux')('canaries', () => {
  let folder = '';
  let canaries: Canaries;
  const place = (name: string): string => String(canaries.places[name]);

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'patchbay-canaries-'));
    canaries = await plantCanaries({ folder, hidesSharedFiles: true });
  });
  afterEach(async () => {
    await canaries.remove();
    rmSync(folder, { recursive: true });
  });

  it('untouched canaries report nothing', () => {
    expect(canaries.check()).toEqual([]);
  });

  it.each(['private', 'shared', 'home', 'json'])('notice that the file %s was read', (name) => {
    expect(readFileSync(place(name), 'utf8')).toMatch(/[\da-f]{32}/u);
    expect(canaries.check()).toEqual([expect.stringContaining('was touched')]);
  });

  it('notice that a file was changed, or another one made', () => {
    writeFileSync(place('private'), 'x');
    chmodSync(place('shared'), 0o777);
    writeFileSync(path.join(place('folder'), 'new'), '');
    expect(canaries.check()).toHaveLength(3);
    rmSync(place('private'));
    expect(canaries.check()).toContainEqual(expect.stringContaining('became gone'));
  });

  it('notice connections', async () => {
    const targets = [
      { port: Number(place('port')), host: '127.0.0.1' },
      { path: place('socket') },
      { path: `\0${place('abstract')}` },
    ];
    for (const target of targets) {
      const socket = connect(target);
      await new Promise((resolve) =>
        socket
          .on('close', resolve)
          .on('error', () => {})
          .resume(),
      );
    }
    expect(canaries.check()).toEqual([
      'somebody connected to TCP',
      'somebody connected to the unix socket',
      'somebody connected to the abstract socket',
    ]);
  });

  it('notice signals', async () => {
    process.kill(Number(place('pid')), 'SIGCONT');
    await expect.poll(() => canaries.check()).toEqual(['the canary process got SIGCONT']);
    process.kill(Number(place('pid')), 'SIGKILL');
    await expect.poll(() => canaries.check()).toEqual(['the canary process is gone']);
  });

  it('canaries find their secrets in a text, packed or not', () => {
    const secret = readFileSync(place('private'), 'utf8');
    const packings = [
      secret,
      Array.from(secret).toReversed().join(''),
      Buffer.from(secret).toString('hex'),
      ...['', 'x', 'xy', 'xyz'].map((before) => Buffer.from(`${before}${secret}after`).toString('base64')),
    ];
    for (const packed of packings) expect(canaries.seenIn(`before ${packed} after`), packed).toEqual(['private']);
    expect(canaries.seenIn(secret.slice(1))).toEqual([]);
  });
});
