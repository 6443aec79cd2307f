import { errorMessage } from '../base/error-message.ts';
import { unlessAborted, withTimeout } from '../base/signals.ts';
import type { Logger } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import { type Part, partLabel } from './part.ts';
import { stopPart } from './stop-parts.ts';

export interface StartOptions {
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Aborts when nobody wants the parts any more. */
  readonly signal?: AbortSignal | undefined;
  /** Runs as soon as a part has started, and is part of its start. */
  onStarted(part: Part): Promise<void>;
}

/**
 * Start the parts in order. A part that fails and is optional is left out.
 *
 * @throws PatchbayError `plugin_start_failed`, or the reason of the signal. The parts that had started are still up then.
 */
export async function startParts(parts: readonly Part[], options: StartOptions): Promise<void> {
  for (const part of parts) {
    try {
      options.signal?.throwIfAborted();
      await startPart(part, options);
      await options.onStarted(part);
      options.signal?.throwIfAborted();
    } catch (cause) {
      options.signal?.throwIfAborted();
      const message = `${partLabel(part)} did not start: ${errorMessage(cause)}`;
      if (!part.optional) throw new PatchbayError('plugin_start_failed', message, { cause });
      options.logger.error(message, { plugin: part.name, error: cause });
      if (part.state === 'started') await stopPart(part, options.logger);
      part.state = 'failed';
    }
  }
}

async function startPart(part: Part, { timeoutMs, logger, signal }: StartOptions): Promise<void> {
  const controller = new AbortController();
  const starting = (async () => part.instance.start?.(controller.signal))();
  const abandon = (reason: unknown) => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    // It may start after all, and would then hold on to what it opened.
    starting.then(
      () => stopPart(part, logger),
      () => undefined,
    );
  };
  const late = () => abandon(new DOMException(`The plugin did not start within ${timeoutMs} ms`, 'TimeoutError'));
  await withTimeout(unlessAborted(starting, signal), timeoutMs, late).catch((error: unknown) => {
    if (signal?.aborted) abandon(signal.reason);
    throw error;
  });
  part.state = 'started';
}
