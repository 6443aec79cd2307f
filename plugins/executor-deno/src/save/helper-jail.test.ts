import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { testContext } from '@patchbay/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { DenoExecutor } from '../deno-executor.ts';
import { executorOptions, silent } from '../fixtures/executor-options.ts';
import { workingJails } from '../fixtures/working-jails.ts';
import { jailPrograms } from '../launch/jail.ts';
import { findHelperJail } from './helper-jail.ts';
import { HelperProcess } from './helper-process.ts';

const program = `
const { connect } = require('node:net');
process.on('message', ({ question }) => {
  const socket = connect(question, '127.0.0.1');
  socket.once('connect', () => process.send('connected'));
  socket.once('error', () => process.send('refused'));
});
process.send('ready');
`;

const signal = new AbortController().signal;
const working = process.platform === 'linux' ? await workingJails() : new Set();
const works = { setpriv: working.has('setpriv'), unshare: working.has('unshare') };

describe.runIf(process.platform === 'linux')('the jail of helpers', { timeout: 60_000 }, () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });

  /** Whether a helper in the jail of a level reaches a server of this machine. */
  async function reaches(level: 'none' | 'unshare'): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'helper-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    await chmod(folder, 0o755);
    const entry = path.join(folder, 'helper.cjs');
    await writeFile(entry, program);
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUps.push(async () => server.close());
    const parts = { level, programs: jailPrograms, files: [entry], logger: silent };
    const limits = { heapMb: 64, memoryMb: 400, keptMb: 300, deadlineMs: 10_000, idleMs: 60_000 };
    const enterJail = await findHelperJail(parts, signal);
    const helper = new HelperProcess<number, string>({ entry: pathToFileURL(entry), ...limits, enterJail });
    cleanUps.push(() => helper.stop());
    const answer = await helper.ask((server.address() as { readonly port: number }).port);
    return answer.kind === 'answer' ? answer.value : answer.kind;
  }

  it.runIf(works.unshare)('a helper in a jail has no network', async () => {
    expect([await reaches('none'), await reaches('unshare')]).toEqual(['connected', 'refused']);
  });

  /** The processes that check types on behalf of this one. */
  const checkers = (): readonly string[] =>
    readdirSync('/proc').filter((pid) => {
      const command = /^\d+$/u.test(pid) ? read(`/proc/${pid}/cmdline`) : '';
      return (
        command.startsWith(process.execPath) &&
        command.includes('/save/helper-main.') &&
        command.includes('\0check\0') &&
        isBelow(pid)
      );
    });

  it.each([
    ['none', true],
    ['setpriv', works.setpriv],
    ['unshare', works.unshare],
  ] as const)('code is checked in the jail "%s" where functions run in it', async (jail, isPossible) => {
    if (!isPossible) return;
    const executor = new DenoExecutor({ ...executorOptions, jail, spares: 0 }, silent);
    cleanUps.push(() => executor.stop());
    await executor.start(AbortSignal.timeout(60_000));
    const typed = (result: string) => `export default (input: object): object => (${result});`;
    const prepare = async (code: string) => await executor.prepare({ code, input: {}, output: {} }, testContext());
    await prepare(typed('input'));
    await expect(prepare(typed('1'))).rejects.toMatchObject({ code: 'code_invalid' });
    const [pid, ...others] = checkers();
    expect([typeof pid, others]).toEqual(['string', []]);
    const status = read(`/proc/${pid}/status`);
    expect(/^NoNewPrivs:\s+1$/mu.test(status)).toBe(jail !== 'none');
    if (jail === 'none') return;
    const isApart = readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
    expect(isApart).toBe(jail === 'unshare');
    await executor.stop();
    await expect.poll(checkers).toEqual([]);
  });
});

function isBelow(pid: string): boolean {
  for (let current = pid; current !== '' && current !== '0'; ) {
    if (current === `${process.pid}`) return true;
    current = /^PPid:\s+(\d+)$/mu.exec(read(`/proc/${current}/status`))?.[1] ?? '';
  }
  return false;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
