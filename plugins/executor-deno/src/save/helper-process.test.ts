import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HelperOptions, HelperProcess } from './helper-process.ts';

const program = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
process.on('message', ({ question }) => {
  if (question === 'loop') for (;;) {}
  if (question === 'loop in a child') {
    const { pid } = spawn(process.execPath, ['-e', 'const end = Date.now() + 60_000; while (Date.now() < end);'], { stdio: 'ignore' });
    writeFileSync(new URL('child', import.meta.url), String(pid));
    return;
  }
  if (question === 'abort') process.abort();
  if (question === 'leave') process.exit(0);
  if (question === 'kill') process.kill(process.pid, 'SIGKILL');
  if (question === 'fill') for (const kept = []; ; ) kept.push(Buffer.alloc(1e7, 1));
  process.send(question + ' by ' + process.pid);
});
process.send('ready');
`;

describe('HelperProcess', () => {
  let folder = '';
  const helpers: HelperProcess<string, string>[] = [];
  const create = (options: Partial<HelperOptions> = {}): HelperProcess<string, string> => {
    const entry = pathToFileURL(path.join(folder, 'helper.mjs'));
    const defaults = { heapMb: 64, memoryMb: 400, keptMb: 300, deadlineMs: 10_000, idleMs: 60_000 };
    const helper = new HelperProcess<string, string>({ entry, ...defaults, ...options });
    helpers.push(helper);
    return helper;
  };
  const answerOf = async (helper: HelperProcess<string, string>, question: string): Promise<string> => {
    const answer = await helper.ask(question);
    return answer.kind === 'answer' ? answer.value : answer.kind;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helper-'));
    await writeFile(path.join(folder, 'helper.mjs'), program);
  });
  afterEach(async () => {
    await Promise.all(helpers.splice(0).map((helper) => helper.stop()));
    await rm(folder, { recursive: true });
  });

  it('one process answers one question after the other', async () => {
    const helper = create();
    const answers: string[] = [];
    for (const question of ['a', 'b', 'c']) answers.push(await answerOf(helper, question));
    expect(answers.map((answer) => answer[0])).toEqual(['a', 'b', 'c']);
    expect(new Set(answers.map((answer) => answer.slice(1))).size).toBe(1);
  });

  it('a question that kills the process does not affect the next one', async () => {
    const helper = create();
    const questions = ['a', 'abort', 'b', 'leave', 'c', 'kill', 'd'];
    const answers: string[] = [];
    for (const question of questions) answers.push(await answerOf(helper, question));
    expect(answers.map((answer) => answer.replace(/ by \d+/u, ''))).toEqual([
      'a',
      'crashed',
      'b',
      'crashed',
      'c',
      'unavailable',
      'd',
    ]);
  });

  it('a check that takes too long is cancelled', async () => {
    const helper = create({ deadlineMs: 500 });
    expect(await answerOf(helper, 'loop')).toBe('timed_out');
    expect(await answerOf(helper, 'a')).toMatch(/^a by/u);
  });

  it.runIf(process.platform === 'linux')('a check that takes too much memory is cancelled', async () => {
    const helper = create({ memoryMb: 150 });
    expect(await answerOf(helper, 'fill')).toBe('out_of_memory');
  });

  it.runIf(process.platform === 'linux')('a process that has grown is replaced', async () => {
    const helper = create({ keptMb: 1 });
    expect(await answerOf(helper, 'a')).not.toBe(await answerOf(helper, 'a'));
  });

  it('an idle process ends', async () => {
    const helper = create({ idleMs: 1 });
    const pid = Number((await answerOf(helper, 'a')).slice('a by '.length));
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await answerOf(helper, 'b')).not.toBe(`b by ${pid}`);
  });

  it.runIf(process.platform === 'linux')(
    'the CPU of a child process counts, and the child ends with the helper',
    async () => {
      const helper = create({ cpuMs: 100, deadlineMs: 600_000 });
      expect(await answerOf(helper, 'loop in a child')).toBe('timed_out');
      const pid = Number(await readFile(path.join(folder, 'child'), 'utf8'));
      await expect.poll(() => isAlive(pid)).toBe(false);
    },
  );

  it('an interrupted question has no answer, and the next one has', async () => {
    const helper = create({ longMs: 50, deadlineMs: 600_000 });
    expect(await helper.ask('loop', () => helper.interrupt())).toEqual({ kind: 'unavailable' });
    expect(await answerOf(helper, 'a')).toMatch(/^a by/u);
  });

  it('a stopped helper is unavailable, for the pending check too', async () => {
    const helper = create();
    await answerOf(helper, 'a');
    const running = answerOf(helper, 'loop');
    await Promise.resolve();
    await helper.stop();
    expect(await running).toBe('unavailable');
    expect(await answerOf(helper, 'a')).toBe('unavailable');
  });

  it('a helper that cannot start is unavailable', async () => {
    await rm(path.join(folder, 'helper.mjs'));
    expect(await answerOf(create(), 'a')).toBe('unavailable');
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
