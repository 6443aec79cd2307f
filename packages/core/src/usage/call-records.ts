import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { CallRecordRow } from '../contracts/rows.ts';
import type { UsageLedger } from './usage-ledger.ts';

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
