import { createTimestamps } from '@patchbay/contracts/base/clock';
import type { Clock } from '@patchbay/contracts/clock';
import type { CallRecordRow } from '@patchbay/contracts/rows';
import type { ContentRecorder, ContentSource } from '../content/content-recorder.ts';
import { type NotedContext, noteStep, spend } from './call-notes.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** The end of a call, as far as its request does not tell it. */
type EndedCall = Pick<CallRecordRow, 'id' | 'outcome' | 'durationMs'> & {
  readonly [F in keyof Omit<
    CallRecordRow,
    | 'id'
    | 'revision'
    | 'outcome'
    | 'durationMs'
    | 'costNanoUsd'
    | 'parentId'
    | 'queuedMs'
    | 'steps'
    | 'keyId'
    | 'requestId'
    | 'createdAt'
  >]?: CallRecordRow[F] | undefined;
};

/** Records what answered calls, how it was chosen, and how they ended. */
export interface CallRecorder {
  /**
   * Never fails and never waits.
   *
   * @param ended If a model answers the call of the context, that call counts.
   * @param content Called if it is stored.
   */
  record(context: NotedContext, ended: EndedCall, content?: ContentSource): void;
  /** How much of the content of a call is stored, for those who have to collect it. */
  readonly contentLevel: ContentRecorder['levelOf'];
  /** The end of a call without a record, as a step of the call that made it. */
  note(context: NotedContext, ended: Omit<EndedCall, 'id'>): void;
}

/** The longest name that is recorded: clients control the length of the names they call. */
const LONGEST_NAME = 255;

/** @param contents Default: none are stored. */
export function createCallRecorder(
  ledger: Pick<UsageLedger, 'recordCall'>,
  clock: Clock,
  contents?: Pick<ContentRecorder, 'levelOf' | 'keep'>,
): CallRecorder {
  const timestamp = createTimestamps(clock);
  const note = ({ parent }: NotedContext, ended: Omit<EndedCall, 'id'>, name: string, id?: string): void => {
    if (!parent) return;
    const isFailed = ended.outcome === 'failed' || ended.outcome === 'cancelled';
    noteStep(parent.notes, parent.notes.now() - ended.durationMs, {
      kind: 'call',
      name: name || ended.model || '',
      ...(id !== undefined && { id }),
      ...(isFailed && { code: ended.errorCode ?? ended.outcome }),
    });
  };

  return {
    note: (context, ended) => note(context, ended, ''),

    contentLevel: (context) => contents?.levelOf(context) ?? 'off',

    record(context, ended, content) {
      const { caller, requestId, execution, call, notes, parent } = context;
      const id = call?.id ?? ended.id;
      const name = (ended.name ?? call?.name ?? '').slice(0, LONGEST_NAME);
      const costNanoUsd = notes ? notes.costNanoUsd : 0;
      note(context, ended, name, id);
      spend(parent?.notes, costNanoUsd);
      const createdAt = timestamp();
      ledger.recordCall(caller.tenant, {
        id,
        revision: 1,
        functionId: ended.functionId ?? call?.functionId ?? '',
        name,
        settingsVersion: ended.settingsVersion ?? call?.settingsVersion ?? null,
        model: ended.model ?? '',
        outcome: ended.outcome,
        errorCode: ended.errorCode ?? null,
        decision: ended.decision ?? null,
        attempts: ended.attempts ?? [],
        costNanoUsd,
        promptTokens: ended.promptTokens ?? 0,
        completionTokens: ended.completionTokens ?? 0,
        durationMs: Math.max(0, Math.round(ended.durationMs)),
        parentId: parent?.id ?? null,
        queuedMs: call?.queuedMs ?? null,
        firstOutputMs: ended.firstOutputMs == null ? null : Math.round(ended.firstOutputMs),
        steps: notes?.steps ?? null,
        executionId: ended.executionId ?? execution?.id ?? '',
        keyId: caller.id,
        requestId,
        createdAt,
      });
      if (content) contents?.keep(context, { id, createdAt }, content);
    },
  };
}
