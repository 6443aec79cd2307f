import { timestamp } from '@patchbay/contracts/base/clock';
import { retryRefused } from '@patchbay/contracts/base/stored-rows';
import { timeOfId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { ExperimentRow, FeedbackRow } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { allocationOf } from './allocate.ts';

/** The writes by which feedback counts for the experiment of its function, to be committed with it. */
export interface CountedScore {
  readonly writes: readonly Write[];
  /** The experiment, if this feedback ends it: `winner` is the version that its label points to then. */
  readonly ended?: ExperimentRow & { readonly winner: number };
}

/**
 * Commit feedback together with what it changes in the experiment that its target was part of.
 *
 * @param change 1 to count it, -1 to take it back.
 * @param commit Undefined: the experiment has changed meanwhile.
 * @throws PatchbayError `conflict` once too many other changes were faster.
 */
export type CountScore = <T>(
  tenant: TenantId,
  feedback: FeedbackRow,
  change: 1 | -1,
  commit: (counted: CountedScore) => Promise<T | undefined>,
) => Promise<T>;

interface CountingDependencies {
  readonly storage: Pick<Storage, 'get'>;
  readonly clock: Clock;
}

const unaffected: CountedScore = { writes: [] };

export function createScoreCounter(parts: CountingDependencies): CountScore {
  /** By function: settles after the last score that waits. */
  const last = new Map<string, Promise<void>>();

  return async (tenant, feedback, change, commit) => {
    const count = () => countInExperiment(parts, tenant, feedback, change);
    const counted = await count();
    const made = counted === unaffected ? await commit(counted) : undefined;
    if (made !== undefined) return made;
    // One after another: of all changes that read the same state of a row, the storage refuses all but one.
    const { functionId } = feedback;
    const turn = (last.get(functionId) ?? Promise.resolve()).then(() =>
      retryRefused(busy, async () => await commit(await count())),
    );
    const settled = turn.then(ignore, ignore);
    last.set(functionId, settled);
    void settled.then(() => last.get(functionId) === settled && last.delete(functionId));
    return await turn;
  };
}

const busy = 'too many concurrent changes to the experiment of the function; try again';
const ignore = (): void => undefined;

async function countInExperiment(
  { storage, clock }: CountingDependencies,
  tenant: TenantId,
  feedback: FeedbackRow,
  change: 1 | -1,
): Promise<CountedScore> {
  const { functionId, settingsVersion, metric, target, createdBy } = feedback;
  if (functionId === '' || settingsVersion === null) return unaffected;
  const head = await storage.get(tenant, 'functionSettings', functionId);
  if (!head?.experiment) return unaffected;
  const row = await storage.get(tenant, 'experiments', head.experiment.id);
  if (row?.status !== 'running' || row.metric !== metric) return unaffected;
  // `createdAt` may be milliseconds ahead of the clock: it is later than all changes before it.
  if ((timeOfId(target) ?? 0) < (timeOfId(row.id) ?? 0)) return unaffected;
  if (!row.variants.some(({ version }) => version === settingsVersion)) return unaffected;
  const score = scoreOf(feedback.value, row.optimize);
  // A config that no longer optimizes the metric allows other values.
  if (!(score >= 0 && score <= 1)) return unaffected;
  const variants = row.variants.map((variant) =>
    variant.version === settingsVersion
      ? { ...variant, count: variant.count + change, sum: variant.sum + change * score }
      : variant,
  );
  const { leader, progress } = allocationOf({ ...row, variants });
  const { id, revision: ifRevision } = row;
  if (change === -1 || row.allocation === 'fixed' || progress < 1) {
    return { writes: [{ update: 'experiments', id, set: { variants }, ifRevision }] };
  }
  const { version: winner } = variants[leader] as ExperimentRow['variants'][number];
  const endedAt = timestamp(clock);
  const end = { variants, status: 'won', winner, endedAt } as const;
  const labels = { ...head.labels, [row.label]: winner };
  const moved = { labels, experiment: null, updatedAt: endedAt, updatedBy: createdBy };
  return {
    writes: [
      { update: 'experiments', id, set: end, ifRevision },
      { update: 'functionSettings', id: functionId, set: moved, ifRevision: head.revision },
    ],
    ended: { ...row, ...end },
  };
}

/** A score of which more is better. */
function scoreOf(value: FeedbackRow['value'], optimize: ExperimentRow['optimize']): number {
  const score = Number(value);
  return optimize === 'max' ? score : 1 - score;
}
