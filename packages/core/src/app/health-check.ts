import { withTimeout } from '@patchbay/contracts/base/signals';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Health } from '@patchbay/contracts/lifecycle';
import type { Part } from './parts.ts';

const HEALTH_TIMEOUT_MS = 1_000;

/**
 * A health check of all parts, which logs changes since the last one. A part is never checked again before it has
 * responded, so that frequent probes do not pile up in one that hangs.
 *
 * @param others Checks of everything but plugins, by name; they respond at once.
 */
export function createHealthCheck(
  parts: () => readonly Part[],
  others: Readonly<Record<string, () => Promise<Health>>>,
  logger: Logger,
): () => Promise<Readonly<Record<string, Health>>> {
  const pending = new Map<Part, Promise<Health>>();
  const last = new Map<string, Health['status']>();

  const note = (name: string, { status, detail }: Health): void => {
    const before = last.get(name);
    last.set(name, status);
    if (status === before) return;
    const fields = { part: name, ...(detail !== undefined && { detail }) };
    if (status === 'fail') logger.error('a part is unhealthy', fields);
    // Initial states are logged at the start.
    else if (status === 'warn' && before !== undefined) logger.warn('a part is degraded', fields);
    else if (status === 'pass' && before !== undefined) logger.info('a part is healthy again', fields);
  };

  const ask = (part: Part): Promise<Health> => {
    const asked = pending.get(part);
    if (asked !== undefined) return asked;
    const answer = (async () => (await part.instance.health?.()) ?? ({ status: 'pass' } as const))();
    pending.set(part, answer);
    const forget = () => pending.delete(part);
    answer.then(forget, forget);
    return answer;
  };

  const check = async (part: Part): Promise<Health> => {
    if (part.state === 'failed') return { status: 'fail', detail: 'did not start' };
    if (part.state === 'stopped') return { status: 'fail', detail: 'has stopped' };
    if (part.instance.health === undefined) return { status: 'pass' };
    try {
      return await withTimeout(ask(part), HEALTH_TIMEOUT_MS);
    } catch (error) {
      // Its cause is logged once, however often it is probed.
      if (last.get(part.name) !== 'fail') {
        logger.warn(`the health check of ${part.name} failed`, { plugin: part.name, error });
      }
      // Only messages of a PatchbayError are guaranteed to contain no secret.
      return { status: 'fail', detail: PatchbayError.is(error) ? error.message : 'the health check failed' };
    }
  };

  return async () => {
    const asked = parts().map(async (part) => [part.name, await check(part)] as const);
    const own = Object.entries(others).map(async ([name, ask]) => [name, await ask()] as const);
    const all = await Promise.all([...asked, ...own]);
    // A part that the shutdown has stopped is no news.
    const stopped = new Set(
      parts()
        .filter(({ state }) => state === 'stopped')
        .map(({ name }) => name),
    );
    for (const [name, health] of all) if (!stopped.has(name)) note(name, health);
    return Object.fromEntries(all);
  };
}
