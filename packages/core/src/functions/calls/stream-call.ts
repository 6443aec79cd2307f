import { setTimeout as pause } from 'node:timers/promises';
import { parseJson } from '@patchbay/contracts/base/json-text';
import type { RequestContext } from '@patchbay/contracts/context';
import type { LogLine, OutputWatcher } from '@patchbay/contracts/executor';
import type { JsonObject } from '@patchbay/contracts/json';
import { isGrown, partialObject } from '../../gateway/object/partial-object.ts';
import type { Call } from './call-service.ts';

/** An event of a streamed call: its output so far, lines that it logs, and at the end the whole call. */
export type CallEvent<C = Call> = OutputEvent | { readonly done: C };

/** People do not read faster than this. */
const SHORTEST_PAUSE_MS = 50;
/** Each delta contains all output so far: longer outputs get fewer deltas. */
const BYTES_PER_MS = 100;

/**
 * Run a call and stream its output. Resolves with the first delta, or with the complete call: failures
 * until then are thrown, later ones are thrown by the iteration. Ending the iteration cancels the call.
 *
 * @param withLogs Lines that code logs are events as well. Default: they are not.
 */
export async function streamCall<C extends Pick<Call, 'output'>>(
  carryOut: (watcher: OutputWatcher, context: RequestContext) => Promise<C>,
  context: RequestContext,
  withLogs = false,
): Promise<AsyncGenerator<CallEvent<C>, void, void>> {
  const left = new AbortController();
  const output = new OutputEvents(withLogs);
  let isOver = false;
  const done = carryOut(output, { ...context, signal: AbortSignal.any([context.signal, left.signal]) });
  const end = (): void => {
    isOver = true;
  };
  const over = done.then(end, end);

  const next = async (): Promise<OutputEvent | undefined> => {
    output.resume();
    for (;;) {
      const event = isOver ? output.takeRest() : output.take();
      if (event || isOver) return event;
      await Promise.race([output.changed, over]);
    }
  };

  async function* events(first: OutputEvent | undefined): AsyncGenerator<CallEvent<C>, void, void> {
    try {
      for (let event = first; event; event = await next()) {
        yield event;
        if ('isYielded' in event || 'log' in event) continue;
        const bytes = 'partial' in event ? JSON.stringify(event.partial).length : 0;
        await Promise.race([over, pause(Math.max(SHORTEST_PAUSE_MS, bytes / BYTES_PER_MS), undefined, { ref: false })]);
      }
      const call = await done;
      const restart = output.takeEnd(call.output);
      if (restart) yield restart;
      yield { done: call };
    } finally {
      left.abort(new DOMException('the reader of the stream has left', 'AbortError'));
    }
  }

  const first = await next();
  if (!first) await done;
  return events(first);
}

/** Maximum characters of a streamed output: all of it is parsed again for every delta. */
const MOST_SHOWN = 65_536;

/** A change of an output that is still being written. */
type OutputEvent =
  /** All output so far. It contains the previous delta, except after a restart, or where a generator yielded it. */
  | { readonly partial: JsonObject; readonly isYielded?: true }
  /** Discard all previous deltas. */
  | { readonly restart: string }
  | { readonly log: LogLine };

/**
 * Buffers an output until the reader takes it: a slow reader receives fewer and larger deltas of a model, and only the last
 * state is kept. It receives all outputs of a generator, and the generator waits for it.
 */
export class OutputEvents implements OutputWatcher {
  #text = '';
  #isNew = false;
  #restart: string | undefined;
  #shown: JsonObject | undefined;
  #yielded: { readonly partial: JsonObject; readonly resume: () => void } | undefined;
  #resume: (() => void) | undefined;
  /** With the number of outputs that each follows. */
  readonly #lines: { readonly line: LogLine; readonly outputs: number }[] = [];
  #received = 0;
  #taken = 0;
  readonly #withLogs: boolean;
  #changed = Promise.withResolvers<void>();

  constructor(withLogs = false) {
    this.#withLogs = withLogs;
  }

  logged(line: LogLine, outputs = this.#received): void {
    if (!this.#withLogs) return;
    this.#lines.push({ line, outputs });
    this.#changed.resolve();
  }

  wrote(text: string): void {
    this.#text = text;
    this.#isNew = true;
    this.#changed.resolve();
  }

  restarted(why: string): void {
    this.#text = '';
    this.#isNew = false;
    // Output that was never sent needs no restart.
    if (this.#shown) this.#restart = why;
    this.#changed.resolve();
  }

  async yielded(text: string): Promise<void> {
    this.#received += 1;
    const partial = (await parseJson(text)) as JsonObject;
    const { promise, resolve: resume } = Promise.withResolvers<void>();
    this.#yielded = { partial, resume };
    this.#changed.resolve();
    await promise;
  }

  /** The reader has taken the last event. */
  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** Settles when a delta may be available. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** The change since the last call, if any. An empty object is no change. */
  take(): OutputEvent | undefined {
    this.#changed = Promise.withResolvers<void>();
    const event = this.#takeRestart() ?? this.#takeLog(this.#taken) ?? this.#takeYield();
    if (event) return event;
    if (!this.#isNew) return undefined;
    this.#isNew = false;
    if (this.#text.length > MOST_SHOWN) return undefined;
    const partial = partialObject(this.#text);
    if (!partial || Object.keys(partial).length === 0) return undefined;
    // Inconsistent output is not sent further; it is validated at its end.
    if (!isGrown(partial, this.#shown) || isGrown(this.#shown, partial)) return undefined;
    this.#shown = partial;
    return { partial };
  }

  /** The next line or output that was left when the run ended. Outputs that some lines follow may never come. */
  takeRest(): OutputEvent | undefined {
    return this.#takeLog(this.#taken) ?? this.#takeYield() ?? this.#takeLog(Infinity);
  }

  /** The next line that the code has logged, after at most this many outputs. */
  #takeLog(outputs: number): OutputEvent | undefined {
    const [next] = this.#lines;
    if (!next || next.outputs > outputs) return undefined;
    this.#lines.shift();
    return { log: next.line };
  }

  /** The output of a generator that waits for its reader. */
  #takeYield(): OutputEvent | undefined {
    if (!this.#yielded) return undefined;
    this.#taken += 1;
    const { partial, resume } = this.#yielded;
    this.#yielded = undefined;
    this.#resume = resume;
    return { partial, isYielded: true };
  }

  /** The output differs from the deltas that were sent. */
  takeEnd(output: JsonObject): OutputEvent | undefined {
    if (!isGrown(output, this.#shown)) this.#restart ??= 'the output differs from what was written at first';
    return this.#takeRestart();
  }

  #takeRestart(): OutputEvent | undefined {
    const restart = this.#restart;
    if (restart === undefined) return undefined;
    this.#restart = undefined;
    this.#shown = undefined;
    // The text since then counts as new.
    if (this.#isNew) this.#changed.resolve();
    return { restart };
  }
}
