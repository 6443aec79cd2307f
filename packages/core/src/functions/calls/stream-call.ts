import { setTimeout as pause } from 'node:timers/promises';
import type { RequestContext } from '../../contracts/context.ts';
import type { OutputWatcher } from '../../contracts/executor.ts';
import type { Call } from './call-service.ts';
import { type OutputEvent, OutputEvents } from './output-events.ts';

/** What a streamed call tells: its output so far, and at the end the whole call. */
export type CallEvent = OutputEvent | { readonly done: Call };

/** People do not read faster than this. */
const SHORTEST_PAUSE_MS = 50;
/** Each piece has all of the output so far: the longer it is, the rarer they get. */
const BYTES_PER_MS = 100;

/**
 * Carry out a call, and tell of its output while it is written. Resolves with the first piece, or with the whole: what
 * fails until then is thrown, and what fails later is thrown by the iteration. To end the iteration ends the call.
 */
export async function streamCall(
  carryOut: (watcher: OutputWatcher, context: RequestContext) => Promise<Call>,
  context: RequestContext,
): Promise<AsyncGenerator<CallEvent, void, void>> {
  const left = new AbortController();
  const output = new OutputEvents();
  let isOver = false;
  const done = carryOut(output, { ...context, signal: AbortSignal.any([context.signal, left.signal]) });
  const end = (): void => {
    isOver = true;
  };
  const over = done.then(end, end);

  const next = async (): Promise<OutputEvent | undefined> => {
    for (;;) {
      if (isOver) return undefined;
      const event = output.take();
      if (event) return event;
      await Promise.race([output.changed, over]);
    }
  };

  async function* events(first: OutputEvent | undefined): AsyncGenerator<CallEvent, void, void> {
    try {
      for (let event = first; event; event = await next()) {
        yield event;
        const bytes = 'partial' in event ? JSON.stringify(event.partial).length : 0;
        await Promise.race([over, pause(Math.max(SHORTEST_PAUSE_MS, bytes / BYTES_PER_MS), undefined, { ref: false })]);
      }
      const call = await done;
      const restart = output.takeEnd(call.output);
      if (restart) yield restart;
      yield { done: call };
    } finally {
      left.abort(new DOMException('nobody reads the stream any more', 'AbortError'));
    }
  }

  const first = await next();
  if (!first) await done;
  return events(first);
}
