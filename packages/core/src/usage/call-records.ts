import type { Clock } from '../contracts/clock.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { CallRecordRow } from '../contracts/rows.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** The end of a call, as far as it is not said by its request. */
type EndedCall = Pick<CallRecordRow, 'id' | 'outcome' | 'durationMs'> & {
  readonly [F in keyof Omit<
    CallRecordRow,
    'id' | 'revision' | 'outcome' | 'durationMs' | 'keyId' | 'requestId' | 'createdAt'
  >]?: CallRecordRow[F] | undefined;
};

/** Records who answered calls, how they were chosen, and the end of it. */
export interface CallRecorder {
  /**
   * Never fails and never waits.
   *
   * @param ended Of a model that answers the call of the context, that call counts.
   */
  record(context: RequestContext, ended: EndedCall): void;
}

/** The longest name that is recorded: clients control the length of what they call. */
const LONGEST_NAME = 255;

export function createCallRecorder(ledger: Pick<UsageLedger, 'recordCall'>, clock: Clock): CallRecorder {
  return {
    record({ caller, requestId, execution, call }, ended) {
      ledger.recordCall(caller.tenant, {
        id: call?.id ?? ended.id,
        revision: 1,
        functionId: ended.functionId ?? call?.functionId ?? '',
        name: (ended.name ?? call?.name ?? '').slice(0, LONGEST_NAME),
        settingsVersion: ended.settingsVersion ?? call?.settingsVersion ?? null,
        model: ended.model ?? '',
        outcome: ended.outcome,
        decision: ended.decision ?? null,
        attempts: ended.attempts ?? [],
        costNanoUsd: ended.costNanoUsd === undefined ? 0 : ended.costNanoUsd,
        promptTokens: ended.promptTokens ?? 0,
        completionTokens: ended.completionTokens ?? 0,
        durationMs: Math.max(0, Math.round(ended.durationMs)),
        executionId: ended.executionId ?? execution?.id ?? '',
        keyId: caller.id,
        requestId,
        createdAt: new Date(clock.now()).toISOString(),
      });
    },
  };
}
