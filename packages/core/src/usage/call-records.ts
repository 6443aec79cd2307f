import { deleteOldest } from '../base/delete-oldest.ts';
import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { CallRecordRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** Days for which answers are known, and feedback about them is accepted. */
export const CALL_DAYS = 30;

const DAY_MS = 86_400_000;

/** The end of the time in which something of this time was an answer that is still known. */
export function knownSince({ now }: Pick<Clock, 'now'>): number {
  return now() - CALL_DAYS * DAY_MS;
}

/** An answer, as far as it is not said by its request. */
export interface AnsweredCall extends Pick<CallRecordRow, 'id'> {
  readonly functionId?: string | null;
  readonly name?: string;
  readonly settingsVersion?: number | null | undefined;
  /** Absent where code answered. */
  readonly model?: string | undefined;
  /** Default: the execution whose code sent the request. */
  readonly executionId?: string | null;
}

/** Records which model, function and settings an answer is from. */
export interface CallRecorder {
  /** Never fails and never waits. */
  record(context: RequestContext, call: AnsweredCall): void;
}

/** The longest name that is recorded: clients control the length of what they call. */
const LONGEST_NAME = 255;

export function createCallRecorder(ledger: Pick<UsageLedger, 'recordCall'>, clock: Clock): CallRecorder {
  return {
    record({ caller, requestId, execution }, { id, functionId, name = '', settingsVersion, model = '', executionId }) {
      ledger.recordCall(caller.tenant, {
        id,
        revision: 1,
        functionId: functionId ?? '',
        name: name.slice(0, LONGEST_NAME),
        settingsVersion: settingsVersion ?? null,
        model,
        executionId: executionId ?? execution?.id ?? '',
        keyId: caller.id,
        requestId,
        createdAt: new Date(clock.now()).toISOString(),
      });
    },
  };
}

/** Delete the records that are too old for feedback, in steps; how many. */
export async function sweepCallRecords(storage: Storage, clock: Pick<Clock, 'now'>): Promise<number> {
  const before = new Date(knownSince(clock)).toISOString();
  const isOld = ({ createdAt }: CallRecordRow) => createdAt < before;
  return await deleteOldest(storage, { collection: 'callRecords', sort: 'createdAt' }, isOld, ({ id }) => [
    { delete: 'callRecords', id },
  ]);
}
