/**
 * The effect of hostile functions of one tenant on those of another: a short function, called every 100 ms, alone and
 * beside as many bombs as the hostile tenant has slots, alternating every few seconds. Also how late each bomb ends, and
 * how far it gets. Its time begins when its code does, which it logs.
 *
 *     node --conditions=source bench/executor/neighbour.ts [seconds] [milliseconds between calls]
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { testContext } from '@patchbay/testing';
import { childIds } from '../../plugins/executor-deno/src/fixtures/child-ids.ts';
import { openScorecard } from '../../scripts/scorecard/open-scorecard.ts';
import { describe, startExecutor } from './subject.ts';

const scorecard = openScorecard('executor-neighbour');

const seconds = Number(process.argv[2] ?? 20);
const pauseMs = Number(process.argv[3] ?? 100);
const TURN_SECONDS = 4;
const wallMs = 1_000;
const places = availableParallelism() * 2;
const [memoryMb, offHeapMb] = [128, 128];
const bombs: Readonly<Record<string, string>> = {
  loop: 'for (;;);',
  'loop in a getter': 'return { get a() { for (;;); } };',
  microtasks: 'const spin = () => queueMicrotask(spin); spin(); return new Promise(() => {});',
  timers: 'const spin = () => { setTimeout(spin); setTimeout(spin); }; spin(); return new Promise(() => {});',
  promises: 'for (;;) await Promise.all(Array.from({ length: 1000 }, async () => {}));',
  'regular expression': 'return { a: /^(a+)+$/.test("a".repeat(60) + "b") };',
  'large numbers': 'let n = 3n; for (;;) n *= n;',
  wasm: `const code = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0,
    10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11];
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(code))).exports.f();`,
  heap: 'const kept = []; for (;;) kept.push(new Array(1000).fill(0).map((_, i) => ({ i })));',
  buffers: 'const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1));',
  'log flood': 'for (;;) console.log("x".repeat(1000));',
  'large output': 'return { a: "x".repeat(2e8) };',
};

const subject = await startExecutor({ maxConcurrent: places, memoryMb, offHeapMb });
const victim = await subject.save('({ n }) => ({ n: n + 1 })');
const artifacts = await Promise.all(
  Object.entries(bombs).map(async ([name, code]) => ({
    name,
    artifact: await subject.save(`export default async () => { console.log('started'); ${code} }`),
  })),
);
const late = new Map<string, number>();
const context = testContext();
const stranger = {
  ...context,
  caller: { ...context.caller, tenant: 'tenant_hostile' as typeof context.caller.tenant },
};

async function bomb({ name, artifact }: (typeof artifacts)[number]): Promise<void> {
  const identity = { executionId: 'execution_bomb', functionId: name, functionVersion: 1 };
  const limits = { wallMs, outputBytes: 1_048_576, logBytes: 65_536 };
  let startedAt: number | undefined;
  const onLog = (): void => {
    startedAt ??= performance.now();
  };
  const job = { ...identity, artifact, input: '{}', limits, onLog };
  const outcome = await subject.executor.execute(job, stranger);
  if (outcome.status === 'completed') throw new Error(`${name} completed`);
  const took = startedAt === undefined ? 0 : performance.now() - startedAt;
  late.set(name, Math.max(late.get(name) ?? -Infinity, took - wallMs));
}

async function measure(forSeconds: number): Promise<readonly number[]> {
  const took: number[] = [];
  const end = performance.now() + forSeconds * 1_000;
  while (performance.now() < end) {
    const [started, pause] = [subject.run(victim, '{"n":1}'), new Promise((resolve) => setTimeout(resolve, pauseMs))];
    took.push(await started);
    await pause;
  }
  return took;
}

let next = 0;
let most = 0;

async function measureBeside(forSeconds: number): Promise<readonly number[]> {
  let ends = false;
  const hostile = Array.from({ length: places }, async () => {
    while (!ends) {
      const turn = artifacts[next++ % artifacts.length];
      if (turn !== undefined) await bomb(turn);
    }
  });
  const took = await measure(forSeconds);
  ends = true;
  await Promise.all(hostile);
  return took;
}

let peak = 0;
const peaks = setInterval(() => {
  const pids = childIds();
  most = Math.max(most, pids.length);
  for (const pid of pids) peak = Math.max(peak, peakBytes(pid));
}, 100);

// All functions are known, and have run before.
await measure(1);
await measureBeside(1);
const alone: number[] = [];
const beside: number[] = [];
for (let left = seconds; left > 0; left -= TURN_SECONDS) {
  await subject.waiting(2);
  alone.push(...(await measure(Math.min(left, TURN_SECONDS))));
  beside.push(...(await measureBeside(Math.min(left, TURN_SECONDS))));
}
clearInterval(peaks);
await subject.executor.stop();

const p99 = (took: readonly number[]): number => took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
console.log(`alone: ${describe(alone)} ms (${alone.length} calls)`);
console.log(`beside bombs: ${describe(beside)} ms (${beside.length} calls), ${most} processes at most`);
console.log(`p99 beside bombs is ${(p99(beside) / p99(alone)).toFixed(2)} times that alone`);
for (const [name, ms] of late) {
  console.log(`${name}: ${ms > 0 ? `${ms.toFixed(0)} ms after its limit at the latest` : 'always before its limit'}`);
}
console.log(
  `most resident memory of a process: ${(peak / 1_048_576).toFixed(0)} MB, with ${memoryMb} + ${offHeapMb} MB allowed`,
);

scorecard.record([
  {
    what: 'p99 beside bombs of another tenant, over that alone',
    value: p99(beside) / p99(alone),
    unit: 'times',
    target: { most: 2 },
    note: `${p99(beside).toFixed(1)} ms and ${p99(alone).toFixed(1)} ms, of ${alone.length} calls each`,
  },
  {
    what: 'how late a limit of time or memory ends a bomb, at the latest',
    value: Math.max(0, ...[...late].map(([, ms]) => ms)),
    unit: 'ms',
    target: { most: 250 },
  },
  {
    what: `most memory of a bomb with ${memoryMb} + ${offHeapMb} MB allowed, its runtime included`,
    value: Math.round(peak / 1_048_576),
    unit: 'MB',
    target: { most: memoryMb + offHeapMb + 64 },
  },
]);

function peakBytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(?<kb>\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
