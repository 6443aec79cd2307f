import { Script } from 'node:vm';
import { Worker } from 'node:worker_threads';
import {
  definePlugin,
  type ExecutionFailure,
  type ExecutionJob,
  type ExecutionOutcome,
  type Executor,
  type LogLine,
  PatchbayError,
} from '@patchbay/core/plugin';

/** Runs code that you trust, each run in a separate thread: it can reach all that this process can. */
export default definePlugin({
  name: 'patchbay-executor-template',
  kind: 'executor',
  version: 1,
  config: { properties: { heapMegabytes: { type: 'integer', minimum: 8, default: 128 } } },
  create: ({ config }): Executor => {
    const running = new Set<() => void>();
    let stopped = false;
    return {
      async prepare({ code, bundle }) {
        if (bundle) return { artifact: bundle.module };
        try {
          // Not run, only read. A module is read when it runs.
          if (!/^\s*export\b/m.test(code)) new Script(code);
        } catch (error) {
          const detail = error instanceof Error ? error.message : 'it cannot be read';
          throw new PatchbayError('code_invalid', detail, { errors: [{ pointer: '/code', code: 'syntax', detail }] });
        }
        return { artifact: code };
      },
      async execute(job, { signal }) {
        if (stopped) throw new PatchbayError('executor_unavailable', 'the executor has stopped', { retryAfter: 1 });
        return await run(job, signal, config.heapMegabytes, running);
      },
      async stop() {
        stopped = true;
        for (const cancel of running) cancel();
      },
    };
  },
});

/** Takes a module with a default export, a function alone, and a script whose last function is meant. */
const THREAD = `
const { parentPort: host, workerData: { artifact, input, executionId } } = require('node:worker_threads');
const { runInThisContext } = require('node:vm');
const { format } = require('node:util');
const log = (level) => (...words) => host.postMessage({ log: { level, message: format(...words) } });
const logs = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error'), log: log('info') };
Object.assign(console, logs);
const load = async () => {
  const module = 'data:text/javascript;base64,' + Buffer.from(artifact).toString('base64');
  if (/^\\s*export\\b/m.test(artifact)) return (await import(module)).default;
  const last = [...artifact.matchAll(/function\\s+(\\w+)/g)].at(-1)?.[1];
  return runInThisContext(artifact) ?? (last && runInThisContext(last));
};
load()
  .catch((error) => { throw { reason: 'load_failed', message: String(error) }; })
  .then((run) => run(JSON.parse(input), { executionId, log: logs }))
  .then((output) => host.postMessage({ output: JSON.stringify(output) ?? 'null' }))
  .catch((error) => host.postMessage({
    error: { reason: error?.reason ?? 'function_threw', message: String(error?.message ?? error).slice(0, 500) },
  }));
`;

type Failure = Extract<ExecutionOutcome, { readonly error: unknown }>;
type End = { readonly status: 'completed'; readonly output: string } | Pick<Failure, 'status' | 'error'>;

type Message =
  | { readonly log: Pick<LogLine, 'level' | 'message'> }
  | { readonly output: string }
  | { readonly error: { readonly reason: ExecutionFailure; readonly message: string } };

async function run(
  job: ExecutionJob,
  signal: AbortSignal,
  heapMegabytes: number,
  running: Set<() => void>,
): Promise<ExecutionOutcome> {
  const start = performance.now();
  const { artifact, input, executionId, limits } = job;
  const logs: LogLine[] = [];
  let room = limits.logBytes;
  const outcome = (end: End): ExecutionOutcome => ({
    ...end,
    logs,
    logsTruncated: room < 0,
    durationMs: performance.now() - start,
  });
  if (signal.aborted) return outcome(failure('cancelled', 'it was cancelled'));

  const worker = new Worker(THREAD, {
    eval: true,
    workerData: { artifact, input, executionId },
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    env: {},
    stdout: true,
    stderr: true,
  });
  const keep = (written: Pick<LogLine, 'level' | 'message'>) => {
    room -= Math.max(16, Buffer.byteLength(written.message));
    if (room < 0) return;
    const line = { ...written, time: new Date().toISOString() };
    logs.push(line);
    job.onLog?.(line);
  };
  const { promise, resolve: end } = Promise.withResolvers<End>();
  const cancel = () => end(failure('cancelled', 'it was cancelled'));
  const timer = setTimeout(() => end(failure('wall_limit', 'it took too long')), limits.wallMs);
  signal.addEventListener('abort', cancel);
  running.add(cancel);
  worker.on('message', (message: Message) => {
    if ('log' in message) keep(message.log);
    else if ('error' in message) end(failure(message.error.reason, message.error.message));
    else if (Buffer.byteLength(message.output) > limits.outputBytes)
      end(failure('output_too_large', 'it is too large'));
    else end({ status: 'completed', output: message.output });
  });
  worker.on('error', (error: NodeJS.ErrnoException) =>
    end(failure(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory_limit' : 'function_threw', error.message)),
  );
  worker.on('exit', () => end(failure('exited_early', 'it ended before it returned')));
  const ended = await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', cancel);
  running.delete(cancel);
  // A run has left nothing behind when its outcome is known.
  await worker.terminate();
  return outcome(ended);
}

function failure(reason: ExecutionFailure, message: string): Pick<Failure, 'status' | 'error'> {
  const status = reason === 'cancelled' ? 'cancelled' : reason === 'wall_limit' ? 'timed_out' : 'failed';
  return { status, error: { reason, message } };
}
