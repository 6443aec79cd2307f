import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { LogLine } from '@patchbay/contracts/executor';
import { type ExecutionStatus, isEndedStatus } from '@patchbay/contracts/rows';
import type { ExecutionEngine } from './execution-engine.ts';

/** A position in the logs of an execution: the attempt, and the number of lines before it. */
export interface LogPlace {
  readonly attempt: number;
  readonly lines: number;
}

/** An event for a client that follows the logs of an execution. */
export type LogEvent =
  | { readonly kind: 'line'; readonly line: LogLine; readonly place: LogPlace }
  /** Sent after a period without log lines. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'end'; readonly status: ExecutionStatus; readonly truncated: boolean };

/** Polling interval for an execution that is queued, or runs in another process. */
const POLL_MS = 1_000;

const IDLE_MS = 15_000;

/**
 * The logs of an execution from a position: existing lines, new lines, and its end. Lines arrive as they are written if
 * it runs in this process, otherwise all at its end.
 */
export async function* followLogs(
  engine: ExecutionEngine,
  id: string,
  from: LogPlace | undefined,
  { signal, caller }: RequestContext,
): AsyncGenerator<LogEvent> {
  const { storage, clock } = engine;
  let place = from ?? { attempt: 1, lines: 0 };
  let lastEvent = clock.monotonic();
  const next = (attempt: number, line: LogLine): LogEvent => {
    place = { attempt, lines: place.lines + 1 };
    lastEvent = clock.monotonic();
    return { kind: 'line', line, place };
  };

  for (;;) {
    const run = engine.running.ofTenant(caller.tenant, id);
    const lines = run?.logs.lines ?? [];
    // The logs of an earlier run were lost with it.
    if (run !== undefined && run.attempt !== place.attempt) place = { attempt: run.attempt, lines: 0 };
    for (let line = lines[place.lines]; line !== undefined; line = lines[place.lines]) yield next(place.attempt, line);
    signal.throwIfAborted();

    if (run === undefined) {
      const row = await storage.get(caller.tenant, 'executions', id);
      if (row === undefined) throw new PatchbayError('execution_not_found', 'the execution was deleted');
      if (isEndedStatus(row.status)) {
        const attempt = row.attempt ?? 1;
        if (attempt !== place.attempt) place = { attempt, lines: 0 };
        for (const line of row.logs.slice(place.lines)) yield next(attempt, line as unknown as LogLine);
        yield { kind: 'end', status: row.status, truncated: row.logsTruncated };
        return;
      }
      if (engine.running.isDraining) throw new PatchbayError('shutting_down', 'the server is shutting down');
      await engine.running.opened(id, signal, POLL_MS);
    } else {
      await run.logs.changed.wait(signal, IDLE_MS);
    }
    if (clock.monotonic() - lastEvent >= IDLE_MS) {
      lastEvent = clock.monotonic();
      yield { kind: 'idle' };
    }
  }
}
