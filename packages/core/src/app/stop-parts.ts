import { errorMessage } from '../base/error-message.ts';
import { withTimeout } from '../base/signals.ts';
import type { Logger } from '../contracts/context.ts';
import { type Part, partLabel } from './part.ts';

/** Milliseconds that one plugin may take to stop. */
const STOP_TIMEOUT_MS = 10_000;

/** Stop all that have started, the last one first. Goes on past failures, and returns them. */
export async function stopParts(parts: readonly Part[], logger: Logger): Promise<Error[]> {
  const failures: Error[] = [];
  for (const part of parts.toReversed()) {
    const { state } = part;
    if (state === 'stopped') continue;
    if (state === 'started') part.state = 'stopped';
    const failure = state === 'started' ? await stopPart(part, logger) : undefined;
    if (failure !== undefined) failures.push(failure);
    await part.release?.();
  }
  return failures;
}

/** Stop one part; the failure, where it did not stop cleanly. */
export async function stopPart(part: Part, logger: Logger): Promise<Error | undefined> {
  try {
    await withTimeout((async () => part.instance.stop?.())(), STOP_TIMEOUT_MS);
    return undefined;
  } catch (cause) {
    const failure = new Error(`${partLabel(part)} did not stop cleanly: ${errorMessage(cause)}`, { cause });
    logger.error(failure.message, { plugin: part.name, error: cause });
    return failure;
  }
}
