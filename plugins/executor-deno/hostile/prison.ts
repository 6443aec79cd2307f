import { isDeepStrictEqual } from 'node:util';
import { type HostCalls, PatchbayError } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { DenoExecutor } from '../src/deno-executor.ts';
import { executorOptions, silent } from '../src/fixtures/executor-options.ts';
import { CANARY_VARIABLE, type Canaries } from './canaries.ts';
import { isFunction, startCodeMode } from './code-mode.ts';
import type { Combination } from './combination.ts';
import type { Expected, HostileProgram } from './hostile-program.ts';
import type { Result } from './judge.ts';
import { toolkit } from './toolkit.ts';
import { setUpWall, type Wall } from './walls.ts';

/** An executor for hostile programs. */
export interface Prison {
  readonly combination: Combination;
  readonly executor: DenoExecutor;
  /** Run for one tenant, and for another one right after it. */
  run(program: ProgramToRun, tenant?: string): Promise<Result>;
  /** How often each program runs, so that it gets to where the isolation differs. */
  readonly times: number;
  /** How the executor does not do for others what it has to; undefined where it does. */
  harm(): Promise<string | undefined>;
  stop(): Promise<void>;
}

type ProgramToRun = Pick<HostileProgram, 'code' | 'bundle' | 'input' | 'wallMs' | 'outputBytes'>;

// Longer than any program that ends by itself takes, on a machine that has other things to do.
const PATIENT_MS = 60_000;
/** Outputs of a generator that are looked at. */
const MOST_YIELDS = 100;

/** Start an executor, and make sure that its walls stand where they are meant to, and nowhere else. */
export async function startPrison(combination: Combination, folder: string, canaries: Canaries): Promise<Prison> {
  const { jail, wall } = combination;
  const { options, programs } = setUpWall(wall, jail, folder);
  const isolation = combination.isolation === 'primed' ? 'fresh' : combination.isolation;
  const primed = combination.isolation === 'primed' ? 4 : 0;
  const common = {
    ...executorOptions,
    typeCheck: 'off',
    spares: primed > 0 ? 4 : 2,
    queueTimeoutMs: 120_000,
    isolation,
    primed,
    jail,
  } as const;
  const executor = new DenoExecutor({ ...common, ...options }, silent, programs);
  await executor.start(AbortSignal.timeout(60_000));
  const codeMode = combination.form === 'program' ? await startCodeMode(executor) : undefined;
  const stop = async (): Promise<void> => {
    await codeMode?.stop();
    await executor.stop();
  };
  const ids = new Map<string, number>();
  let count = 0;
  const run: Prison['run'] = async (program, tenant = 'first') => {
    const { input = {}, wallMs = PATIENT_MS, outputBytes = 100_000 } = program;
    const placed = (text: string): string =>
      text.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => `${canaries.places[name]}`);
    const code = placed(program.code);
    const module = program.bundle && placed(program.bundle.module);
    const id = ids.get(code) ?? ids.size;
    ids.set(code, id);
    const given = { ...input, canary: canaries.places };
    if (codeMode && module === undefined && isFunction({ code })) {
      // One run of a tenant at a time: its outcome is found by that.
      const context = testContext({ tenant: `${tenant}_${id}_${++count}` });
      return await codeMode.run({ code, input: given, limits: { wallMs, outputBytes } }, context);
    }
    const context = testContext({ tenant: `${tenant}_${id}` });
    const yielded: string[] = [];
    try {
      const { artifact } = await executor.prepare({ code, input: {}, output: {}, ...bundleOf(module) }, context);
      const job = {
        executionId: `execution_${++count}`,
        functionId: `function_${id}`,
        functionVersion: 1,
        artifact,
        input: JSON.stringify(given),
        limits: { wallMs, outputBytes, logBytes: 20_000 },
        host,
        watcher: {
          wrote() {},
          restarted() {},
          yielded: async (output: string) => void (yielded.length < MOST_YIELDS && yielded.push(output)),
        },
      };
      return { kind: 'ended', outcome: await executor.execute(job, context), yielded };
    } catch (error) {
      if (!(error instanceof PatchbayError) || error.code !== 'code_invalid') throw error;
      return { kind: 'refused', faults: (error.errors ?? []).map(({ code: fault }) => fault) };
    }
  };
  // Code is loaded ahead once it has completed three times.
  const times = { cold: 1, fresh: 1, reuse: 2, primed: 6 }[combination.isolation];
  const known = { ...combination, jail: (executor.describe().jail ?? jail) as Combination['jail'] };
  const prison: Prison = { combination: known, executor, run, times, harm: async () => await harmOf(prison), stop };
  const walls = await run({ code: lookAround });
  const found = walls.kind === 'ended' && walls.outcome.status === 'completed' ? walls.outcome.output : '{}';
  if (!isDeepStrictEqual(JSON.parse(found), expectedWalls[wall])) {
    await stop();
    throw new Error(`The walls are not where they should be: ${JSON.stringify(walls)}`);
  }
  return prison;
}

const bundleOf = (module: string | undefined) =>
  module === undefined ? {} : { bundle: { module, mappings: '', source: 0, packages: [] } };

/** Answers with what it was asked, but never answers "hang", and fails at "fail" in a way that the code must not see. */
const host: HostCalls = {
  maxCalls: 20,
  secrets: { token: 'placeholder' },
  async call(name, given, signal) {
    if (given.includes('"hang"')) await new Promise((_, reject) => signal.addEventListener('abort', reject));
    if (given.includes('"fail"')) throw new Error(process.env[CANARY_VARIABLE]);
    if (name === 'fetch') return JSON.stringify({ status: 403, statusText: '', headers: [], body: '', url: '' });
    return JSON.stringify({ name, size: given.length });
  },
};

const lookAround = `export default () => ({
  deno: typeof Deno,
  makesCode: (() => { try { return new Function('return true')(); } catch { return false; } })(),
  granted: typeof Deno === 'undefined' ? [] : ['env', 'ffi', 'import', 'net', 'read', 'run', 'sys', 'write'].filter(
    (name) => Deno.permissions.querySync({ name }).state === 'granted'),
});`;

const expectedWalls: Readonly<Record<Wall, object>> = {
  both: { deno: 'undefined', makesCode: false, granted: [] },
  permissions: { deno: 'object', makesCode: true, granted: [] },
  jail: { deno: 'object', makesCode: true, granted: ['env', 'ffi', 'import', 'net', 'read', 'run', 'sys', 'write'] },
};

// The root folder of `bwrap` has no /proc. Deno ends its process where Node's modules, its storage or its
// own path ask for the program in there.
const NEEDS_PROC = /\b(?:Deno|process|localStorage|load|node|worker|Function|constructor)\b/u;
const panic: Expected = { reasons: ['exited_early'], message: /exited with code 1 / };

/** With one wall less, a program may do more to itself; what counts is what it does to others. */
export function expectedOf(
  program: Pick<HostileProgram, 'category' | 'name' | 'code' | 'bundle' | 'expected' | 'expectedWithGlobals'>,
  { jail, wall, form }: Combination,
): Expected {
  if (form === 'program' && !program.bundle && endsInAnotherWay(program)) return { anything: true };
  switch (wall) {
    case 'both':
      return program.expected;
    case 'permissions': {
      const expected = program.expectedWithGlobals ?? program.expected;
      const mayPanic = jail === 'bwrap' && NEEDS_PROC.test(program.code.replace(toolkit, ''));
      return mayPanic ? { either: [expected, panic] } : expected;
    }
    case 'jail':
      return { anything: true };
  }
}

/** A program has less of a context, returns any value or none, and has no top level. */
function endsInAnotherWay({ category, name, code }: Pick<HostileProgram, 'category' | 'name' | 'code'>): boolean {
  if (['context', 'output', 'forgery'].includes(category) || name === 'returning nothing') return true;
  return !code.startsWith(toolkit) || /=>.*\bcontext\b/su.test(code.slice(toolkit.length));
}

async function harmOf(prison: Prison): Promise<string | undefined> {
  const health = await prison.executor.health();
  if (health.status !== 'pass') return `the executor is not healthy: ${health.detail}`;
  const code = `export default ({ n }) => ({ sum: n + 1, extra: Object.keys(Object.prototype).length })`;
  const result = await prison.run({ code, input: { n: 41 } });
  const isFine = result.kind === 'ended' && result.outcome.status === 'completed';
  const isRight = isFine && result.outcome.output === '{"sum":42,"extra":0}';
  return isRight ? undefined : `a harmless function ended with ${JSON.stringify(result)}`;
}
