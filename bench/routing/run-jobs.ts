import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { measure } from './compare.ts';
import { type Job, type JobOptions, nameOf, settingOf } from './jobs.ts';
import { scenarios } from './scenarios.ts';
import type { Measures } from './simulate.ts';

/** By `nameOf` of the job: the measures of each seed. */
export type Results = Map<string, readonly Measures[]>;

/** One run of a job. */
interface Run {
  readonly job: Job;
  /** Counts from 1. */
  readonly seed: number;
}

/**
 * Run all jobs, as many seeds at a time as there are processors.
 *
 * @param file Keeps the results: seeds that it has are not run again.
 */
export async function runJobs(jobs: readonly Job[], options: JobOptions, file?: string): Promise<Results> {
  const kept = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '[]';
  // Null, or nothing, for seeds that are left.
  const results = new Map(JSON.parse(kept) as [string, (Measures | null)[]][]);
  const seeds = Array.from({ length: options.seeds }, (_, index) => index + 1);
  const runs = jobs.flatMap((job) => seeds.map((seed): Run => ({ job, seed })));
  const left = runs.filter(({ job, seed }) => !results.get(nameOf(job))?.[seed - 1]).reverse();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    for (let run = left.pop(); run; run = left.pop()) {
      worker.postMessage(run);
      const [measures] = (await once(worker, 'message')) as [Measures];
      const name = nameOf(run.job);
      const ofJob = results.get(name) ?? [];
      ofJob[run.seed - 1] = measures;
      results.set(name, ofJob);
      if (file !== undefined) writeFileSync(file, JSON.stringify([...results]));
      console.log(`${name}, seed ${run.seed}: ${left.length} of ${runs.length} left`);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results as Results;
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  const options = workerData as JobOptions;
  let last: { readonly name: string; readonly setting: ReturnType<typeof settingOf> } | undefined;
  const perform = async ({ job, seed }: Run): Promise<void> => {
    const scenario = scenarios.find(({ name }) => name === job.scenario);
    if (!scenario) throw new Error(`no scenario ${job.scenario}`);
    const name = nameOf(job);
    // Reading a matrix takes longer than some runs.
    if (last?.name !== name) last = { name, setting: settingOf(job, options) };
    port.postMessage(await measure(job.policy, scenario, seed, last.setting));
  };
  port.on('message', (run: Run) => void perform(run));
}
