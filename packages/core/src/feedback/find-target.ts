import { setTimeout as pause } from 'node:timers/promises';
import { reachesCall, reachesFunction } from '@patchbay/contracts/base/stored-rows';
import { timeOfId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import { type CallRecordRow, type ExecutionRow, isEndedStatus } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { UsageLedger } from '../usage/usage-ledger.ts';

export interface TargetDependencies {
  readonly storage: Pick<Storage, 'get'>;
  readonly ledger: Pick<UsageLedger, 'flush'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Days for which calls are known, and feedback about them is accepted. */
  readonly keepDays: number;
}

const DAY_MS = 86_400_000;

/** The origin of an answer, kept with feedback about it. */
export type FeedbackTarget = Pick<CallRecordRow, 'functionId' | 'name' | 'settingsVersion' | 'model'>;

/**
 * Milliseconds before each further search for a record: it may still be in the ledger of this process or of another
 * one, or the server has not yet noticed that the reader of a stream has disconnected.
 */
const LOOKS_AFTER_MS = [0, 400];

/**
 * The answer with this id. If there is none, the search takes a moment.
 *
 * @throws PatchbayError `feedback_expired`, even if there was no such answer: the error must not reveal that.
 *   `feedback_target_not_found`; `conflict` for an execution that has not ended.
 */
export async function findTarget(
  { storage, ledger, clock, keepDays }: TargetDependencies,
  id: string,
  { caller, signal }: Pick<RequestContext, 'caller' | 'signal'>,
): Promise<FeedbackTarget> {
  const { tenant } = caller;
  const time = timeOfId(id);
  if (time === undefined) throw notFound();
  if (time < clock.now() - keepDays * DAY_MS) {
    throw new PatchbayError('feedback_expired', `feedback is accepted for ${keepDays} days`);
  }
  if (id.startsWith('execution_')) {
    const row = await storage.get(tenant, 'executions', id);
    if (!row || !(reachesFunction(caller, row.functionId) || row.createdBy === caller.id)) throw notFound();
    if (!isEndedStatus(row.status)) throw new PatchbayError('conflict', 'the execution has not ended');
    return executionTarget(row);
  }
  const find = async () => await storage.get(tenant, 'callRecords', id);
  let row = await find();
  for (const ms of LOOKS_AFTER_MS) {
    if (row) break;
    await pause(ms, undefined, { signal });
    await ledger.flush();
    row = await find();
  }
  if (!row || !reachesCall(caller, row)) throw notFound();
  return row;
}

/** Feedback about a trial names neither model nor version: it counts for nothing that is learned. */
function executionTarget({ functionId, usage, trial }: ExecutionRow): FeedbackTarget {
  const { model, settingsVersion } = (!trial && usage) || {};
  return {
    functionId,
    name: '',
    settingsVersion: typeof settingsVersion === 'number' && settingsVersion > 0 ? settingsVersion : null,
    model: typeof model === 'string' ? model : '',
  };
}

function notFound(): PatchbayError {
  return new PatchbayError('feedback_target_not_found', 'no call, chat, generation or execution has this id');
}
