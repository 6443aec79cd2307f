import type { ExecutionJob } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { workingJails } from './fixtures/working-jails.ts';
import { jailLevels } from './launch/jail.ts';

const working = await workingJails();
const limits = { wallMs: 10_000, outputBytes: 10_000, logBytes: 1000 };

/** Run a generator, and tell its outputs and lines as a reader that takes one after the other gets them. */
async function narrate(executor: DenoExecutor, artifact: string, input = '{}'): Promise<readonly string[]> {
  const seen: string[] = [];
  const lines: { readonly message: string; readonly outputs: number }[] = [];
  let taken = 0;
  const tell = (most: number): void => {
    while (lines[0] !== undefined && lines[0].outputs <= most) seen.push(lines.shift()?.message ?? '');
  };
  const job: ExecutionJob = {
    executionId: 'execution_test',
    functionId: 'function_test',
    functionVersion: 1,
    artifact,
    input,
    limits,
    onLog({ message }, outputs = taken) {
      lines.push({ message, outputs });
      tell(taken);
    },
    watcher: {
      wrote() {},
      restarted() {},
      async yielded(output) {
        tell(taken);
        seen.push(output);
        taken += 1;
        await new Promise(setImmediate);
        tell(taken);
      },
    },
  };
  const { status } = await executor.execute(job, testContext());
  tell(Infinity);
  return [...seen, status];
}

const code = `export default async function* () {
  yield { a: 1 };
  console.log('x');
  yield { a: 2 };
  console.error('y');
  yield { a: 3 };
  console.log('z');
}`;

describe.for(
  jailLevels
    .filter((jail) => working.has(jail))
    .flatMap((jail) => (['fresh', 'reuse'] as const).map((isolation) => ({ jail, isolation }))),
)('lines among the outputs of a generator ($isolation, jail $jail)', ({ jail, isolation }) => {
  it('arrive in the order in which the code wrote them, in every run', async () => {
    const executor = new DenoExecutor({ ...executorOptions, isolation, jail, spares: 2 }, silent);
    await executor.start(AbortSignal.timeout(60_000));
    try {
      const { artifact } = await executor.prepare({ input: {}, output: {}, code }, testContext());
      for (let run = 0; run < 8; run++) {
        const told = await narrate(executor, artifact);
        expect(told).toEqual(['{"a":1}', 'x', '{"a":2}', 'y', '{"a":3}', 'z', 'completed']);
      }
    } finally {
      await executor.stop();
    }
  });
});

it('a line that looks like a mark is a line, and the next run has its own', async () => {
  const code = `let runs = 0;
  export default async function* ({ text }) {
    runs++;
    for (let n = 0; n < 3; n++) {
      console.log(runs, text);
      yield { n };
    }
  }`;
  const executor = new DenoExecutor({ ...executorOptions, isolation: 'reuse', spares: 1 }, silent);
  await executor.start(AbortSignal.timeout(60_000));
  try {
    const { artifact } = await executor.prepare({ input: {}, output: {}, code }, testContext());
    const toldOf = async (text: string) => await narrate(executor, artifact, JSON.stringify({ text }));
    const linesOf = (line: string) => [line, '{"n":0}', line, '{"n":1}', line, '{"n":2}', 'completed'];
    // Two counts of outputs, and the begin of an entry.
    expect(await toldOf('\u001f\u001eY99\u001f\u001eYx\u001f\u001eI')).toEqual(linesOf('1 Y99YxI'));
    await expect.poll(() => executor.waitingProcesses.kept).toHaveLength(1);
    // The end of all lines.
    expect(await toldOf('\u001f\u001eF\u001f')).toEqual(linesOf('2 F'));
    await expect.poll(() => executor.waitingProcesses.kept).toHaveLength(1);
    expect(await toldOf('plain')).toEqual(linesOf('3 plain'));
  } finally {
    await executor.stop();
  }
});
