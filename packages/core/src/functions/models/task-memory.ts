import type { Cache } from '../../contracts/cache.ts';
import type { RequestContext } from '../../contracts/context.ts';
import type { JsonObject } from '../../contracts/json.ts';
import { fieldsOf } from '../../provider-kit/json-fields.ts';

/** What a model has answered to a task. */
export interface RememberedAnswer {
  readonly object: JsonObject;
  readonly model: string;
}

/** What the cache has under a key. A cache that fails has forgotten it: the task can still be done. */
export async function recall(
  cache: Cache,
  key: string,
  { logger }: RequestContext,
): Promise<RememberedAnswer | undefined> {
  try {
    const kept = await cache.get(key);
    return kept && read(kept);
  } catch (error) {
    logger.warn('the cache could not be read', { error });
    return undefined;
  }
}

/** Keep an answer for next time. It is paid for: a cache that fails must not lose it. */
export async function remember(
  cache: Cache,
  key: string,
  answer: RememberedAnswer,
  ttlMs: number,
  { logger }: RequestContext,
): Promise<void> {
  try {
    await cache.set(key, Buffer.from(JSON.stringify(answer)), ttlMs);
  } catch (error) {
    logger.warn('the cache could not be written', { error });
  }
}

/** @throws Error where something else stands there: others can write into a cache that is shared. */
function read(kept: Uint8Array): RememberedAnswer {
  const answer = fieldsOf(JSON.parse(Buffer.from(kept).toString()));
  const object = fieldsOf(answer?.['object']);
  if (!object || typeof answer?.['model'] !== 'string') throw new Error('the cache has what was never put there');
  return { object: object as JsonObject, model: answer['model'] };
}
