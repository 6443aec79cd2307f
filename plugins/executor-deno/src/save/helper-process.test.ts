import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HelperOptions, HelperProcess } from './helper-process.ts';

const program = `
process.on('message', ({ question }) => {
  if (question === 'loop') for (;;) {}
  if (question === 'abort') process.abort();
  if (question === 'leave') process.exit(0);
  if (question === 'kill') process.kill(process.pid, 'SIGKILL');
  if (question === 'fill') for (const kept = []; ; ) kept.push(Buffer.alloc(1e7, 1));
  process.send(question + ' by ' + process.pid);
});
process.send('ready');
`;

const signal = new AbortController().signal;

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
    const answer = await helper.ask(question, signal);
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

  it('answers one question after the other, in one process', async () => {
    const helper = create();
    const answers = await Promise.all(['a', 'b', 'c'].map((question) => answerOf(helper, question)));
    expect(answers.map((answer) => answer[0])).toEqual(['a', 'b', 'c']);
    expect(new Set(answers.map((answer) => answer.slice(1))).size).toBe(1);
    expect(helper.waiting).toBe(0);
  });

  it('goes on after a question that it does not survive', async () => {
    const helper = create();
    const questions = ['a', 'abort', 'b', 'leave', 'c', 'kill', 'd'];
    const answers = await Promise.all(questions.map((question) => answerOf(helper, question)));
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

  it('gives up in time', async () => {
    const helper = create({ deadlineMs: 200 });
    expect(await answerOf(helper, 'loop')).toBe('timed_out');
    expect(await answerOf(helper, 'a')).toMatch(/^a by/u);
  });

  it.runIf(process.platform === 'linux')('gives up before the machine is full', async () => {
    const helper = create({ memoryMb: 150 });
    expect(await answerOf(helper, 'fill')).toBe('out_of_memory');
  });

  it.runIf(process.platform === 'linux')('does not keep a process that has grown', async () => {
    const helper = create({ keptMb: 1 });
    expect(await answerOf(helper, 'a')).not.toBe(await answerOf(helper, 'a'));
  });

  it('is gone when it is not needed', async () => {
    const helper = create({ idleMs: 1 });
    const pid = Number((await answerOf(helper, 'a')).slice('a by '.length));
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await answerOf(helper, 'b')).not.toBe(`b by ${pid}`);
  });

  it('does not ask for somebody who left', async () => {
    const helper = create();
    const controller = new AbortController();
    const first = answerOf(helper, 'a');
    const second = helper.ask('b', controller.signal);
    controller.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    expect(await first).toMatch(/^a by/u);
  });

  it('answers nothing once it is stopped, and blames nobody', async () => {
    const helper = create();
    await answerOf(helper, 'a');
    const running = answerOf(helper, 'loop');
    await Promise.resolve();
    await helper.stop();
    expect(await running).toBe('unavailable');
    expect(await answerOf(helper, 'a')).toBe('unavailable');
  });

  it('says so when it cannot start', async () => {
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
