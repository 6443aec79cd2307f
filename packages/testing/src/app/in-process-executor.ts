import { performance } from 'node:perf_hooks';
import {
  definePlugin,
  type ExecutionJob,
  type ExecutionOutcome,
  type LogLine,
  type Plugin,
} from '@patchbay/core/plugin';
import { Arrivals } from './arrivals.ts';

/** A run of a function. */
export interface TestRun {
  readonly functionId: string;
  /** Valid against the input schema, with defaults filled in. */
  readonly input: unknown;
  /** Aborts when the client leaves, the execution is cancelled or the app stops. */
  readonly signal: AbortSignal;
}

export interface InProcessExecutor {
  readonly plugin: Plugin<'executor'>;
  readonly runs: readonly TestRun[];
  /** Resolves when the next function begins to run. */
  nextRun(): Promise<TestRun>;
}

type Entry = (input: unknown, context: { readonly log: Readonly<Record<LogLine['level'], Log>> }) => unknown;
type Log = (message: unknown, fields?: object) => void;

/**
 * Runs functions in the process of the test: JavaScript that the test itself wrote. There is no jail, no limit
 * but the abort, and no host call; generators yield objects. `executorConformance` has the duties of a real executor.
 */
export function createInProcessExecutor(): InProcessExecutor {
  const runs = new Arrivals<TestRun>();
  const plugin = definePlugin({
    name: 'in-process executor of @patchbay/testing',
    kind: 'executor',
    version: 1,
    config: { properties: {} },
    create: () => ({
      async execute({ artifact, input: text, functionId, onLog, watcher }, { signal }): Promise<ExecutionOutcome> {
        const started = performance.now();
        const logs: LogLine[] = [];
        const write = (level: LogLine['level'], message: unknown, fields?: object): void => {
          const line = { level, message: String(message), time: new Date().toISOString(), ...(fields && { fields }) };
          logs.push(line as LogLine);
          onLog?.(line as LogLine);
        };
        const base = () => ({ logs, logsTruncated: false, durationMs: performance.now() - started });
        const input: unknown = JSON.parse(text);
        runs.add({ functionId, input, signal });
        try {
          const run = await entryOf(artifact);
          const returned = await Promise.race([aborted(signal), run(input, { log: logOf(write) })]);
          const steps = stepsOf(returned);
          const output = steps ? await Promise.race([aborted(signal), lastOf(steps, watcher)]) : returned;
          return { ...base(), status: 'completed', output: JSON.stringify(output) ?? 'null' };
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          if (signal.aborted) return { ...base(), status: 'cancelled', error: { reason: 'cancelled', message } };
          return { ...base(), status: 'failed', error: { reason: 'function_threw', message } };
        }
      },
    }),
  });
  return { plugin, runs: runs.all, nextRun: () => runs.next() };
}

function logOf(write: (level: LogLine['level'], message: unknown, fields?: object) => void) {
  const at =
    (level: LogLine['level']): Log =>
    (message, fields) =>
      write(level, message, fields);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

type Steps = AsyncIterator<unknown> | Iterator<unknown>;

/** The steps of a generator. */
function stepsOf(returned: unknown): Steps | undefined {
  if (typeof returned !== 'object' || returned === null || !('next' in returned)) return undefined;
  return Symbol.asyncIterator in returned || Symbol.iterator in returned ? (returned as Steps) : undefined;
}

async function lastOf(steps: Steps, watcher: ExecutionJob['watcher']): Promise<unknown> {
  let last: unknown;
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value ?? last;
    last = value;
    await watcher?.yielded(JSON.stringify(value));
  }
}

/** In the forms that every executor takes: an export, a bare declaration, a bare expression. */
async function entryOf(code: string): Promise<Entry> {
  const [, name] = /^\s*(?:async\s+)?function\s*\*?\s*(\w+)/.exec(code) ?? [];
  const bare = name === undefined ? `export default ${code}` : `${code}\nexport default ${name};`;
  const text = /^\s*export\s|;\s*export\s/m.test(code) ? code : bare;
  const module = (await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)) as Record<
    string,
    Entry
  >;
  const entry = module['default'] ?? module['main'] ?? module['handler'];
  if (typeof entry !== 'function') throw new Error('the code exports no function');
  return entry;
}
