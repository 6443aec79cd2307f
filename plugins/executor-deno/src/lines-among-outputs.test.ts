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
async function narrate(executor: DenoExecutor, artifact: string): Promise<readonly string[]> {
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
    input: '{}',
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

it('code that writes marks moves its own lines only, and loses no output', async () => {
  const forging = (marks: string) => `let isForging = true;
  export default async function* () {
    const text = isForging ? '${marks}' : 'line';
    isForging = false;
    for (let n = 0; n < 3; n++) {
      console.log(text);
      yield { n };
    }
  }`;
  const executor = new DenoExecutor({ ...executorOptions, isolation: 'reuse', spares: 1 }, silent);
  await executor.start(AbortSignal.timeout(60_000));
  try {
    const prepare = async (marks: string) =>
      (await executor.prepare({ input: {}, output: {}, code: forging(marks) }, testContext())).artifact;
    const artifact = await prepare('\\x1f\\x1eY99\\x1f\\x1eYx\\x1f\\x1eI');
    const outputs = ['{"n":0}', '{"n":1}', '{"n":2}', 'completed'];
    const forged = await narrate(executor, artifact);
    expect(forged.filter((told) => outputs.includes(told))).toEqual(outputs);
    await expect.poll(() => executor.waitingProcesses.kept).toHaveLength(1);
    const told = await narrate(executor, artifact);
    expect(told).toEqual(['line', '{"n":0}', 'line', '{"n":1}', 'line', '{"n":2}', 'completed']);
    // The end of all lines, after which the host would wait in vain for a mark.
    const ended = await narrate(executor, await prepare('\\x1f\\x1eF\\x1f'));
    expect(ended.filter((each) => outputs.includes(each))).toEqual(outputs);
  } finally {
    await executor.stop();
  }
});
