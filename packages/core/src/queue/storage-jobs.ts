import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { JobRow } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { TakenJobs, TakeRequest } from './consumer-loop.ts';
import type { LeasedJob } from './job-lease.ts';
import { timeOf } from './job-row.ts';

interface JobStore {
  readonly storage: Storage;
  readonly clock: Clock;
}

interface Found {
  readonly tenant: TenantId;
  readonly row: JobRow;
}

/** Heads of tenants that are read at once. */
const BATCH = 50;

/**
 * Claim the jobs of a topic that are due. Tenants take turns: one with many waiting jobs delays those of another by the
 * duration of one job.
 */
export async function takeJobs(store: JobStore, request: TakeRequest): Promise<TakenJobs> {
  const { storage, clock } = store;
  const { topic, room, leaseMs, isStopped } = request;
  const now = clock.now();
  // A job without a delay is due whatever the time: the clock may have been set back since, and clocks of servers
  // differ.
  const isDue = ({ row }: Found): boolean => row.dueAt === row.createdAt || Date.parse(row.dueAt) <= now;
  // The most that can be due, plus one more, which shows when the next one is due.
  const oldest = await storage.scanAllTenants('jobs', { topic, state: 'waiting' }, room + 1, 'dueAt');
  const isCrowded = oldest.length > room && isDue(oldest[room] as Found);
  const heads = isCrowded ? await headsOf(storage, request, isDue) : [];
  if (isStopped()) return { jobs: [], more: false };
  // Room that is left after each tenant had a turn goes to the jobs that have waited longest.
  const taken = new Set(heads.map(({ row }) => row.id));
  const others = oldest.filter((each) => isDue(each) && !taken.has(each.row.id));
  const due = [...heads, ...others].slice(0, room);
  const claims = await Promise.all(due.map((each) => claim(store, each, now, leaseMs)));
  const next = oldest[due.length];
  return {
    jobs: claims.filter((job) => job !== undefined),
    // There may be more, and jobs that another consumer claimed first have left room.
    more: due.length > 0,
    lastTenant: heads.at(-1)?.tenant,
    ...(next && { pauseMs: Math.max(Date.parse(next.row.dueAt) - now, 1) }),
  };
}

/**
 * The first due job of each tenant, as many as there is room for, starting after the tenant whose turn was last, and
 * wrapping around.
 */
async function headsOf(
  storage: Storage,
  { topic, room, lastTenant }: TakeRequest,
  isDue: (found: Found) => boolean,
): Promise<readonly Found[]> {
  const due: Found[] = [];
  let after = lastTenant === '' ? undefined : (lastTenant as TenantId);
  let isAround = after === undefined;
  for (;;) {
    const heads = after === undefined ? {} : { after };
    const found = await storage.scanAllTenants('jobs', { topic, state: 'waiting' }, BATCH, 'dueAt', heads);
    const known = new Set(due.map(({ tenant }) => tenant));
    due.push(...found.filter((each) => isDue(each) && !known.has(each.tenant)));
    if (due.length >= room || (isAround && found.length < BATCH)) return due.slice(0, room);
    after = found.length < BATCH ? undefined : found.at(-1)?.tenant;
    isAround ||= after === undefined;
  }
}

/** Undefined if another consumer was faster. */
async function claim(
  store: JobStore,
  { tenant, row }: Found,
  now: number,
  leaseMs: number,
): Promise<LeasedJob | undefined> {
  const set = { dueAt: timeOf(now + leaseMs), attempt: row.attempt + 1 };
  const write = { update: 'jobs', id: row.id, set, ifRevision: row.revision } as const;
  const { done } = await store.storage.commit(tenant, [write]);
  return done ? leasedRow(store, tenant, { ...row, ...set, revision: row.revision + 1 }, leaseMs) : undefined;
}

/**
 * A claimed row. Every write names the revision that this consumer knows, which is the fence: a consumer that lost the
 * lease knows an older one.
 */
function leasedRow({ storage, clock }: JobStore, tenant: TenantId, row: JobRow, leaseMs: number): LeasedJob {
  const { id, topic, payload, attempt, createdAt, dedupeKey } = row;
  let { revision } = row;
  /** Lease ends set by renewals that may or may not have been written. */
  const doubtful = new Set<string>();

  /** Whether the conflicting revision is that of our own renewal: a connection can break after a commit. */
  const adoptDoubtful = async (): Promise<boolean> => {
    if (doubtful.size === 0) return false;
    const stored = await storage.get(tenant, 'jobs', id);
    // A claim increments the attempts.
    if (stored?.attempt !== attempt || !doubtful.has(stored.dueAt)) return false;
    revision = stored.revision;
    return true;
  };
  const commit = async (writes: (ifRevision: number) => readonly Write[]): Promise<boolean> => {
    const once = async () => (await storage.commit(tenant, writes(revision))).done;
    return (await once()) || ((await adoptDoubtful()) && (await once()));
  };
  const update = (set: Partial<JobRow>): Promise<boolean> =>
    commit((ifRevision) => [{ update: 'jobs', id, set, ifRevision }]);

  return {
    id,
    topic,
    tenant,
    payload,
    attempt,
    createdAt,
    async renew() {
      const dueAt = timeOf(clock.now() + leaseMs);
      try {
        if (!(await update({ dueAt }))) return false;
      } catch (error) {
        doubtful.add(dueAt);
        throw error;
      }
      revision += 1;
      doubtful.clear();
      return true;
    },
    complete: () => commit((ifRevision) => [{ delete: 'jobs', id, ifRevision }]),
    postpone: (delayMs) => update({ dueAt: timeOf(clock.now() + delayMs), attempt: attempt - 1 }),
    retry: (delayMs, error) => update({ dueAt: timeOf(clock.now() + delayMs), error }),
    bury(attempts, error) {
      const dead = { state: 'dead', attempt: attempts, error, dueAt: timeOf(clock.now()) } as const;
      if (dedupeKey === null) return update(dead);
      // A dead job must not block others with its key, so it gets a new id.
      return commit((ifRevision) => [
        { delete: 'jobs', id, ifRevision },
        { insert: 'jobs', row: { ...row, ...dead, id: newId('job'), revision: 1 } },
      ]);
    },
  };
}
