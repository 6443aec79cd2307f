import type { Clock, Logger, TenantId } from '@patchbay/core/plugin';
import type { ApiKeyRow, Storage } from '@patchbay/core/storage';

/** Precision of the time at which a key was last used. */
const RESOLUTION_MS = 60_000;

/** How long a use waits to be written, together with those of other keys. The first use of a key does not wait. */
const DELAY_MS = 5_000;

interface Use {
  readonly tenant: TenantId;
  readonly at: number;
  readonly written: boolean;
}

/** Records when keys were used, at most once a minute for each, without making a request wait. */
export function createLastUsed(storage: Storage, clock: Clock, logger: Logger) {
  // Each key once, so there are never more than keys that were used within about a minute.
  const uses = new Map<string, Use>();
  let timer: NodeJS.Timeout | undefined;

  const write = async (id: string, { tenant, at }: Use): Promise<void> => {
    const set = { lastUsedAt: new Date(at).toISOString() };
    try {
      await storage.commit(tenant, [{ update: 'apiKeys', id, set }]);
    } catch (error) {
      logger.warn('the last use of a key could not be written', { keyId: id, error });
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const due = [...uses].filter(([, { written }]) => !written);
    const oldest = clock.now() - RESOLUTION_MS;
    for (const [id, use] of uses) {
      if (use.written && use.at < oldest) uses.delete(id);
      else uses.set(id, { ...use, written: true });
    }
    await Promise.all(due.map(async ([id, use]) => await write(id, use)));
  };

  return {
    note(tenant: TenantId, { id, lastUsedAt }: ApiKeyRow): void {
      const now = clock.now();
      // The row may be outdated.
      const before = uses.get(id)?.at ?? (lastUsedAt === null ? Number.NEGATIVE_INFINITY : Date.parse(lastUsedAt));
      if (now - before < RESOLUTION_MS) return;
      uses.set(id, { tenant, at: now, written: false });
      if (lastUsedAt === null) setImmediate(() => void flush());
      else timer ??= setTimeout(() => void flush(), DELAY_MS).unref();
    },
    /** Write the pending uses. */
    flush,
  };
}
