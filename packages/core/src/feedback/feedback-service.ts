import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '@patchbay/contracts/base/clock';
import { deletionError, findRow, reachesFunction, requireAllFunctions } from '@patchbay/contracts/base/stored-rows';
import { idOfContent } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonValue } from '@patchbay/contracts/json';
import type { FeedbackRow } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { AuditEvent } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import {
  experimentEnded,
  feedbackCreated,
  feedbackDeleted,
  settingsUpdated,
  type WebhookEvent,
  type WebhookOutbox,
} from '../events/webhook-outbox.ts';
import { type CountedScore, createScoreCounter } from '../experiments/count-in-experiment.ts';
import type { TaskRecords } from '../gateway/model-performance/task-records.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import { noUsage, type UsageMeter } from '../usage/usage-ledger.ts';
import { type AppliedEvidence, applyEvidence, type Evidence } from './apply-evidence.ts';
import { checkMetric, DEFAULT_METRIC, metricsOf } from './check-metric.ts';
import { countScore, type Judged } from './count-score.ts';
import { type FeedbackTarget, findTarget, type TargetDependencies } from './find-target.ts';

/** How good an answer was. */
export interface FeedbackInput {
  /** Id of a call, chat, generation, function call or execution. */
  readonly target: string;
  /** Default: `score`. */
  readonly metric?: string;
  readonly value: boolean | number | string;
  readonly comment?: string;
  /** The answer that would have been right. */
  readonly demonstration?: JsonValue;
}

/** Which feedback to list. Default: all. */
export interface FeedbackFilter {
  readonly target?: string | undefined;
  readonly functionId?: string | undefined;
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly metric?: string | undefined;
  readonly since?: string | undefined;
}

/** Feedback about answers. */
export interface FeedbackService {
  /**
   * Store feedback. Giving the same again returns what is stored.
   *
   * @throws PatchbayError `feedback_target_not_found`, `feedback_expired`; `invalid_request` for a metric or value that
   *   the function does not provide for; `conflict` for other feedback with this metric, and before an execution has ended.
   */
  give(input: FeedbackInput, context: RequestContext): Promise<FeedbackRow>;
  list(
    filter: FeedbackFilter,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<FeedbackRow>>;
  /** @throws PatchbayError `feedback_not_found`. */
  get(id: string, context: RequestContext): Promise<FeedbackRow>;
  /** @throws PatchbayError `feedback_not_found`. */
  delete(id: string, context: RequestContext): Promise<void>;
  /**
   * Make scores that are not feedback known to the automatic choice of models. @throws PatchbayError as
   * `applyEvidence`.
   */
  applyEvidence(functionId: string, evidence: Evidence, context: RequestContext): Promise<AppliedEvidence>;
}

interface FeedbackDependencies extends TargetDependencies {
  readonly storage: Storage;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly outbox: WebhookOutbox;
  readonly cursors: CursorCodec;
  readonly settings: Pick<SettingsService, 'resolve' | 'resolveName'>;
  readonly meter: UsageMeter;
  readonly taskRecords: Pick<TaskRecords, 'add'>;
  readonly clock: Clock;
}

export function createFeedbackService(dependencies: FeedbackDependencies): FeedbackService {
  const { storage, audit, outbox, settings, meter, taskRecords, clock } = dependencies;
  const countInExperiment = createScoreCounter(dependencies);

  const judgedBy = async ({ functionId, name }: FeedbackTarget, context: RequestContext): Promise<Judged> => {
    const row = functionId === '' ? undefined : await storage.get(context.caller.tenant, 'functions', functionId);
    if (row) return { functionName: row.name, metrics: metricsOf((await settings.resolve(row, context)).settings) };
    return { functionName: name, metrics: metricsOf(name === '' ? {} : settings.resolveName(name)) };
  };

  /** @returns Whether it is new; undefined if an experiment changed meanwhile. */
  const insert = async (
    row: FeedbackRow,
    { writes, ended }: CountedScore,
    context: RequestContext,
  ): Promise<{ readonly isNew: boolean } | undefined> => {
    const { tenant } = context.caller;
    const all: Write[] = [{ insert: 'feedback', row }, ...writes];
    const result = ended
      ? await audit.commit(context, all, endOf(ended, row))
      : await commitWithEvent(tenant, all, feedbackCreated(row));
    return result.done || result.index === 0 ? { isNew: result.done } : undefined;
  };

  const commitWithEvent = async (tenant: TenantId, writes: readonly Write[], event: WebhookEvent) => {
    const events = await outbox.writes(tenant, [event]);
    const result = await storage.commit(tenant, [...writes, ...events]);
    if (result.done && events.length > 0) outbox.notify();
    return result;
  };

  return {
    async give({ target: id, metric = DEFAULT_METRIC, value, comment, demonstration }, context) {
      const { caller } = context;
      const answer = await findTarget(dependencies, id, context);
      const { functionId, name, settingsVersion, model } = answer;
      const judged = await judgedBy(answer, context);
      checkMetric(judged.metrics, metric, value);
      const row: FeedbackRow = {
        id: feedbackId(caller.tenant, id, metric),
        revision: 1,
        target: id,
        metric,
        value,
        comment: comment ?? null,
        demonstration: demonstration ?? null,
        functionId,
        name,
        settingsVersion,
        model,
        createdAt: timestamp(clock),
        createdBy: caller.id,
      };
      await meter.ready();
      const { isNew } = await countInExperiment(caller.tenant, row, 1, (counted) => insert(row, counted, context));
      if (!isNew) return sameAs(row, await storage.get(caller.tenant, 'feedback', row.id));
      const nothing = { usage: noUsage, costNanoUsd: null, durationMs: 0 };
      meter.record(context, { kind: 'feedback', functionId, model, outcome: 'completed', ...nothing });
      countScore(taskRecords, caller.tenant, row, judged, 1);
      return row;
    },

    async list({ since: from, ...filter }, page, context) {
      const { functionId } = filter;
      const isReached = functionId !== undefined && reachesFunction(context.caller, functionId);
      if (!isReached) requireAllFunctions(context.caller);
      const where = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      return await listPage(dependencies, { collection: 'feedback', where, from, page }, context);
    },

    get: (id, context) => findRow(storage, 'feedback', id, context),

    async delete(id, context) {
      const row = await findRow(storage, 'feedback', id, context);
      const { target, metric } = row;
      const event = {
        action: 'feedback.deleted',
        resource: { type: 'feedback', id },
        details: { target, metric },
        announces: [feedbackDeleted(row)],
      } as const;
      await countInExperiment(context.caller.tenant, row, -1, async ({ writes }) => {
        const result = await audit.commit(context, [{ delete: 'feedback', id }, ...writes], event);
        if (!result.done && result.index === 0) throw deletionError('feedback', result.reason);
        return result.done ? result : undefined;
      });
      countScore(taskRecords, context.caller.tenant, row, await judgedBy(row, context), -1);
    },

    applyEvidence: (functionId, evidence, context) => applyEvidence(dependencies, functionId, evidence, context),
  };
}

function endOf(ended: NonNullable<CountedScore['ended']>, feedback: FeedbackRow): AuditEvent {
  const { id, functionId, label, winner } = ended;
  const settings = settingsUpdated(functionId, { version: winner, label });
  return {
    action: 'experiment.ended',
    resource: { type: 'function', id: functionId },
    details: { experimentId: id, status: 'won', label, version: winner },
    announces: [feedbackCreated(feedback), settings, experimentEnded(ended)],
  };
}

/** One for each metric of a target, in all processes. */
function feedbackId(tenant: string, target: string, metric: string): string {
  return idOfContent('feedback', JSON.stringify([tenant, target, metric]));
}

/** @throws PatchbayError `conflict` unless the stored feedback is the same. */
function sameAs(given: FeedbackRow, stored: FeedbackRow | undefined): FeedbackRow {
  const contentOf = ({ value, comment, demonstration }: FeedbackRow) => ({ value, comment, demonstration });
  if (stored && isDeepStrictEqual(contentOf(stored), contentOf(given))) return stored;
  const { metric, id } = given;
  throw new PatchbayError('conflict', `the target has other feedback with the metric ${metric}: delete ${id} first`);
}
