import { isDeepStrictEqual } from 'node:util';
import type { WebhookSender } from './create-webhook-sender.ts';

interface InUse<S> {
  readonly settings: S;
  readonly sender: WebhookSender;
  sending: number;
}

/**
 * A sender whose settings may change while it sends: what is being sent ends with those that it began with, and their
 * connections are closed after it.
 *
 * @param current The settings in force.
 */
export function createAdjustableSender<S>(current: () => S, create: (settings: S) => WebhookSender): WebhookSender {
  const all = new Set<InUse<S>>();
  let latest: InUse<S> | undefined;
  let closed = false;

  const closeUnused = (each: InUse<S>): void => {
    if (each === latest || each.sending > 0 || !all.delete(each)) return;
    each.sender.close();
  };
  const inForce = (): InUse<S> => {
    const settings = current();
    if (latest !== undefined && (closed || isDeepStrictEqual(latest.settings, settings))) return latest;
    const before = latest;
    latest = { settings, sender: create(settings), sending: 0 };
    all.add(latest);
    if (closed) latest.sender.close();
    if (before !== undefined) closeUnused(before);
    return latest;
  };

  return {
    async send(message) {
      const used = inForce();
      used.sending += 1;
      try {
        return await used.sender.send(message);
      } finally {
        used.sending -= 1;
        closeUnused(used);
      }
    },
    close() {
      closed = true;
      for (const { sender } of all) sender.close();
    },
  };
}
