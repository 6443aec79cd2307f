import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaunchHelper, openProcessSocket, type ProcessSocket } from './launch-helper.ts';

describe('a socket of one process', () => {
  it('takes those who are awaited, until it refuses, and is removed when it is closed', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'process-socket-'));
    const meeting = await openProcessSocket(folder);
    const { socketPath } = meeting;
    expect((await stat(socketPath)).mode & 0o777).toBe(0o700);
    const accepted = new Promise<Socket>((resolve) => meeting.accept(resolve));
    const [first, second] = [connect(socketPath), connect(socketPath)];
    await accepted;
    // It is not awaited.
    await once(second.resume(), 'close');
    meeting.refuse();
    expect(await readdir(folder)).toEqual([path.basename(socketPath)]);
    expect(await once(connect(socketPath), 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
    first.write('still connected');
    expect(String(await once((await accepted).resume(), 'data'))).toBe('still connected');
    first.destroy();
    await meeting.close();
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

describe('LaunchHelper', () => {
  let folder = '';
  const helpers: LaunchHelper[] = [];
  const meetings: ProcessSocket[] = [];
  const create = (): LaunchHelper => {
    const helper = new LaunchHelper();
    helpers.push(helper);
    return helper;
  };
  const meeting = async (): Promise<ProcessSocket> => {
    const opened = await openProcessSocket(folder);
    meetings.push(opened);
    return opened;
  };
  const forever = { file: process.execPath, arguments: ['-e', 'setInterval(() => {}, 1000)'] };
  const says = (text: string) => ({
    file: process.execPath,
    arguments: ['-e', `process.stdout.write(${JSON.stringify(text)})`],
  });
  const outputOf = async (helper: LaunchHelper, text: string): Promise<string> => {
    const child = await helper.start(says(text), await meeting(), false);
    child.stderr.resume();
    let output = '';
    for await (const chunk of child.stdout) output += String(chunk);
    expect(await child.ended).toEqual({ code: 0 });
    return output;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'launch-helper-'));
  });
  afterEach(async () => {
    await Promise.all(helpers.splice(0).map((helper) => helper.stop()));
    await Promise.all(meetings.splice(0).map((each) => each.close()));
    await rm(folder, { recursive: true });
  });

  it('the output and exit of a process are reported', async () => {
    expect(await outputOf(create(), 'a')).toBe('a');
  });

  it('a helper that leaves does not end what was started later', async () => {
    const helper = create();
    expect(await outputOf(helper, 'a')).toBe('a');
    const place = await meeting();
    const leaving = helper.stop();
    const child = await helper.start(forever, place, false);
    await leaving;
    child.stdout.resume();
    child.stderr.resume();
    expect(child.pid).toBeGreaterThan(0);
    child.kill();
    expect(await child.ended).toEqual({ signal: 'SIGKILL' });
  });

  it.runIf(process.platform === 'linux')('no helper starts to kill what has ended with it', async () => {
    const helper = create();
    const child = await helper.start(forever, await meeting(), false);
    const leaving = helper.stop();
    child.kill();
    await leaving;
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1').trim().split(' ');
    const commands = children.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    expect(commands.filter((command) => command.includes('launch'))).toEqual([]);
    process.kill(child.pid ?? 0, 'SIGKILL');
  });
});
