import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Exit, type Launcher, openProcessSocket } from '../launch/launch-helper.ts';
import { openSandbox } from './sandbox.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

it('a process that has ended is gone, whatever happens to its connection', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<Exit>();
  let peer: Socket | undefined;
  const launcher: Launcher = {
    openSocket: () => openProcessSocket(folder),
    async launch({ socketPath }) {
      peer = connect(socketPath);
      await once(peer, 'connect');
      return { pid: undefined, stdout: Readable.from([]), stderr: Readable.from([]), ended, kill() {} };
    },
  };
  const sandbox = await openSandbox(launcher, new AbortController().signal);
  // Ready, so that the host sends it something to read.
  peer?.write(Buffer.from([16, 0, 0, 0, 0]));
  await sandbox.conversation.ready;
  void sandbox.conversation.prime({ module: `// ${'x'.repeat(1_000_000)}`, language: 'js' });
  await once(peer ?? new Readable(), 'readable');
  end({ code: 0 });
  await ended;
  // With unread data, closing the connection resets it.
  peer?.destroy();
  expect(await sandbox.gone).toEqual({ code: 0 });
});
