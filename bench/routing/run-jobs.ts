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

/**
 * Run all jobs, as many at a time as there are processors.
 *
 * @param file Keeps the results: jobs that it has are not run again.
 */
export async function runJobs(jobs: readonly Job[], options: JobOptions, file?: string): Promise<Results> {
  const kept = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '[]';
  const results: Results = new Map(JSON.parse(kept) as [string, readonly Measures[]][]);
  const left = jobs.filter((job) => !results.has(nameOf(job))).reverse();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    for (let job = left.pop(); job; job = left.pop()) {
      worker.postMessage(job);
      const [measures] = (await once(worker, 'message')) as [readonly Measures[]];
      results.set(nameOf(job), measures);
      if (file !== undefined) writeFileSync(file, JSON.stringify([...results]));
      console.log(`${results.size} of ${jobs.length}: ${nameOf(job)}`);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  port.on('message', (job: Job) => {
    void run(job, workerData as JobOptions).then((measures) => port.postMessage(measures));
  });
}

async function run(job: Job, options: JobOptions): Promise<readonly Measures[]> {
  const scenario = scenarios.find(({ name }) => name === job.scenario);
  if (!scenario) throw new Error(`no scenario ${job.scenario}`);
  const setting = settingOf(job, options);
  const measures: Measures[] = [];
  for (let seed = 1; seed <= options.seeds; seed += 1)
    measures.push(await measure(job.policy, scenario, seed, setting));
  return measures;
}
