import { findRow } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import type { AuditLog } from '../audit/audit-log.ts';
import { addScores, scoreCounts } from '../gateway/model-performance/score-counts.ts';
import type { TaskRecords } from '../gateway/model-performance/task-records.ts';

/** Scores of answers outside of real calls, such as those of an evaluation. */
export interface Evidence {
  /** When the answers were given. ISO 8601. Default: now. */
  readonly at?: string;
  /** Undo what the same evidence has added. */
  readonly undo?: boolean;
  readonly models: readonly {
    readonly model: string;
    /** Of the settings of the function. */
    readonly settingsVersion: number;
    /** Each from 0 to 1. */
    readonly scores: readonly number[];
  }[];
}

/** The evidence as it counts. */
export interface AppliedEvidence {
  readonly models: readonly {
    readonly model: string;
    readonly settingsVersion: number;
    /** Number of real-call scores that it is equivalent to. Less than 0 if it was undone. */
    readonly counted: number;
  }[];
}

interface EvidenceDependencies {
  readonly storage: Storage;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly taskRecords: Pick<TaskRecords, 'add'>;
  readonly clock: Clock;
}

/** Inputs that were made up or selected tell less about a model than those of real calls. */
const SHARE = 0.25;
/** However many cases there are, real calls can change the verdict. */
const MOST_COUNTED = 50;

/**
 * Add evidence to the records from which routers know how well models perform the task of a function.
 *
 * @throws PatchbayError `function_not_found`; `invalid_request` for a function with code, and for a time in the future.
 */
export async function applyEvidence(
  { storage, audit, taskRecords, clock }: EvidenceDependencies,
  functionId: string,
  { at, undo = false, models }: Evidence,
  context: RequestContext,
): Promise<AppliedEvidence> {
  const { name, code } = await findRow(storage, 'functions', functionId, context);
  if (code !== '') throw new PatchbayError('invalid_request', 'the function has code: no model is chosen for it');
  const now = clock.now();
  const time = at === undefined ? now : Date.parse(at);
  if (!(time <= now)) throw futureTime();
  const counted = models.map(({ model, settingsVersion, scores }) => {
    const share = Math.min(SHARE, MOST_COUNTED / scores.length) * (undo ? -1 : 1);
    const counts = scores.map((score) => scoreCounts(score, time, share)).reduce((sum, each) => addScores(sum, each));
    return { counts, told: { model, settingsVersion, counted: share * scores.length } };
  });
  const told = counted.map((each) => each.told);
  const event = {
    action: 'function.evidence.applied',
    resource: { type: 'function', id: functionId },
    details: { undo, models: told },
  } as const;
  await audit.commit(context, [], event);
  const task = { tenant: context.caller.tenant, functionName: name };
  for (const {
    counts: scores,
    told: { model, settingsVersion },
  } of counted) {
    taskRecords.add(task, { model, settingsVersion, fit: null, scores });
  }
  return { models: told };
}

function futureTime(): PatchbayError {
  const errors = [{ pointer: '/at', code: 'time', detail: 'must be a time that has passed' }];
  return new PatchbayError('invalid_request', 'the evidence cannot be applied', { errors });
}
