/**
 * What hostile functions of one tenant cost the functions of another one: a short function, called every 40 ms, alone and
 * then beside as many bombs as there are places but one. Also how late each bomb ends, and how far it gets.
 *
 *     node --conditions=source bench/executor/neighbour.ts [seconds]
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { testContext } from '@patchbay/testing';
import { childIds } from '../../plugins/executor-deno/src/fixtures/child-ids.ts';
import { describe, startExecutor } from './subject.ts';

const seconds = Number(process.argv[2] ?? 10);
const wallMs = 1_000;
const places = availableParallelism() * 2;
const [memoryMb, offHeapMb] = [128, 128];
const bombs: Readonly<Record<string, string>> = {
  loop: '() => { for (;;); }',
  'loop in a getter': '() => ({ get a() { for (;;); } })',
  microtasks: '() => { const spin = () => queueMicrotask(spin); spin(); return new Promise(() => {}); }',
  'regular expression': '() => ({ a: /^(a+)+$/.test("a".repeat(60) + "b") })',
  heap: '() => { const kept = []; for (;;) kept.push(new Array(1000).fill(0).map((_, i) => ({ i }))); }',
  buffers: '() => { const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1)); }',
  'log flood': '() => { for (;;) console.log("x".repeat(1000)); }',
  'large output': '() => ({ a: "x".repeat(2e8) })',
};

const subject = await startExecutor({ maxConcurrent: places, memoryMb, offHeapMb });
const victim = await subject.save('({ n }) => ({ n: n + 1 })');
const artifacts = await Promise.all(
  Object.entries(bombs).map(async ([name, code]) => ({ name, artifact: await subject.save(code) })),
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
  const outcome = await subject.executor.execute({ ...identity, artifact, input: '{}', limits }, stranger);
  if (outcome.status === 'completed') throw new Error(`${name} completed`);
  late.set(name, Math.max(late.get(name) ?? -Infinity, outcome.durationMs - wallMs));
}

async function measure(forSeconds: number): Promise<readonly number[]> {
  const took: number[] = [];
  const end = performance.now() + forSeconds * 1_000;
  while (performance.now() < end) {
    const [started, pause] = [subject.run(victim, '{"n":1}'), new Promise((resolve) => setTimeout(resolve, 40))];
    took.push(await started);
    await pause;
  }
  return took;
}

let peak = 0;
const peaks = setInterval(() => {
  for (const pid of childIds()) peak = Math.max(peak, peakBytes(pid));
}, 100);

await subject.run(victim, '{"n":1}');
await subject.waiting(2);
const alone = await measure(seconds);
let ends = false;
let next = 0;
const hostile = Array.from({ length: places - 1 }, async () => {
  while (!ends) {
    const turn = artifacts[next++ % artifacts.length];
    if (turn !== undefined) await bomb(turn);
  }
});
const beside = await measure(seconds);
ends = true;
await Promise.all(hostile);
clearInterval(peaks);
await subject.executor.stop();

const p99 = (took: readonly number[]): number => took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
console.log(`alone: ${describe(alone)} ms (${alone.length} calls)`);
console.log(`beside ${places - 1} bombs: ${describe(beside)} ms (${beside.length} calls)`);
console.log(`p99 beside bombs is ${(p99(beside) / p99(alone)).toFixed(2)} times that alone`);
for (const [name, ms] of late) {
  console.log(`${name}: ${ms > 0 ? `${ms.toFixed(0)} ms after its limit at the latest` : 'always before its limit'}`);
}
console.log(
  `most resident memory of a process: ${(peak / 1_048_576).toFixed(0)} MB, with ${memoryMb} + ${offHeapMb} MB allowed`,
);

function peakBytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(?<kb>\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
