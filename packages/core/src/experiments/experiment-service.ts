import { laterThan } from '@patchbay/contracts/base/clock';
import { findRow, retryRefused } from '@patchbay/contracts/base/stored-rows';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { Metric } from '@patchbay/contracts/function-settings';
import type { ExperimentRow, FunctionRow, FunctionSettingsRow } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { AuditLog } from '../audit/audit-log.ts';
import { experimentEnded, settingsUpdated } from '../events/webhook-outbox.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import { type Experiment, experimentView } from './experiment-view.ts';

/** Settings versions to compare. */
export interface ExperimentInput {
  /** Versions of the settings: 2 to 8. */
  readonly variants: readonly number[];
  /** A metric with a direction to optimize. Default `score`. */
  readonly metric?: string;
  /**
   * `adaptive`: most calls go to the variants that may be the best, and the experiment ends once one is certain.
   * `fixed`: all have the same share, until the experiment is stopped. Default `adaptive`.
   */
  readonly allocation?: 'fixed' | 'adaptive';
  /** Probability of a winner that is worse than the best by more than `epsilon`: at most. Default 0.05. */
  readonly delta?: number;
  /** Difference of mean scores that does not matter. Default 0.05. */
  readonly epsilon?: number;
  /** Scores that each variant has before the experiment can end. Default 20. */
  readonly minPerVariant?: number;
  /** The label whose calls are divided. Default: the one that calls use. */
  readonly label?: string;
}

/** Experiments between versions of the settings of a function. */
export interface ExperimentService {
  /**
   * Start an experiment. A running one is stopped; starting the same one again changes nothing.
   *
   * @throws PatchbayError `function_not_found`, `settings_not_found`; `conflict` for a function with code;
   *   `invalid_request` for a version, label or metric that does not exist.
   */
  start(functionId: string, input: ExperimentInput, context: RequestContext): Promise<Experiment>;
  /** The running experiment, else the last one. @throws PatchbayError `function_not_found`, `experiment_not_found`. */
  get(functionId: string, context: RequestContext): Promise<Experiment>;
  /** @throws PatchbayError `function_not_found`. */
  list(functionId: string, page: PageRequest<'createdAt'>, context: RequestContext): Promise<PageResult<Experiment>>;
  /**
   * End the running experiment; its label stays as it is. @throws PatchbayError `function_not_found`,
   * `experiment_not_found`.
   */
  stop(functionId: string, context: RequestContext): Promise<Experiment>;
  /**
   * Point the label back to the version that it had before the experiment.
   *
   * @throws PatchbayError `function_not_found`, `experiment_not_found`; `conflict` if the last experiment has no winner, or
   *   the label was moved since.
   */
  rollBack(functionId: string, context: RequestContext): Promise<Experiment>;
}

export interface ExperimentDependencies {
  readonly storage: Storage;
  readonly audit: AuditLog;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  /** The label that calls use. */
  readonly label: string;
  /** The metrics that the function declares, and `score`. */
  readonly metricsOf: (row: FunctionRow, context: RequestContext) => Promise<ReadonlyMap<string, Metric>>;
}

const newestFirst = { sort: 'createdAt', order: 'desc', limit: 1 } as const;

export function createExperimentService(dependencies: ExperimentDependencies): ExperimentService {
  const { storage, audit, clock, metricsOf } = dependencies;

  const headOf = async (functionId: string, context: RequestContext): Promise<FunctionSettingsRow> => {
    const head = await storage.get(context.caller.tenant, 'functionSettings', functionId);
    if (!head) throw new PatchbayError('settings_not_found', 'the function has no settings');
    return head;
  };

  const latest = async (functionId: string, { caller }: RequestContext): Promise<ExperimentRow> => {
    const { rows } = await storage.list(caller.tenant, 'experiments', { ...newestFirst, where: { functionId } });
    const [row] = rows;
    if (!row) throw notFound('the function had no experiment');
    return row;
  };

  const running = async ({ experiment }: FunctionSettingsRow, { caller }: RequestContext) =>
    experiment ? await storage.get(caller.tenant, 'experiments', experiment.id) : undefined;

  const checked = async (
    row: FunctionRow,
    { label, labels }: { readonly label: string; readonly labels: FunctionSettingsRow['labels'] },
    { variants, metric = 'score' }: ExperimentInput,
    context: RequestContext,
  ): Promise<Pick<ExperimentRow, 'before' | 'metric' | 'optimize'>> => {
    const errors: ErrorDetail[] = [];
    for (const [place, version] of variants.entries()) {
      const id = `${row.id}/${version}`;
      if (await storage.get(context.caller.tenant, 'settingsVersions', id)) continue;
      const detail = `the settings have no version ${version}`;
      errors.push({ pointer: `/variants/${place}`, code: 'unknown_version', detail });
    }
    const before = Object.hasOwn(labels, label) ? labels[label] : undefined;
    if (before === undefined) {
      errors.push({ pointer: '/label', code: 'unknown_label', detail: `no version has the label ${label}` });
    }
    const optimize = (await metricsOf(row, context)).get(metric)?.optimize;
    if (!optimize) {
      const detail = 'must be `score`, or a metric of the settings with `optimize`';
      errors.push({ pointer: '/metric', code: 'undeclared_metric', detail });
    }
    if (before !== undefined && optimize && errors.length === 0) return { before, metric, optimize };
    throw new PatchbayError('invalid_request', 'the settings do not provide for this experiment', { errors });
  };

  return {
    async start(functionId, input, context) {
      const row = await findRow(storage, 'functions', functionId, context);
      if (row.code !== '') {
        throw new PatchbayError('conflict', 'the function has code: its settings do not answer calls');
      }
      const { label = dependencies.label, allocation = 'adaptive', variants } = input;
      const { delta = 0.05, epsilon = 0.05, minPerVariant = 20 } = input;
      return await retryRefused('too many concurrent changes to the settings; try again', async () => {
        const head = await headOf(functionId, context);
        const found = await checked(row, { label, labels: head.labels }, input, context);
        const old = await running(head, context);
        const createdAt = laterThan(old?.createdAt ?? head.updatedAt, clock);
        const made: ExperimentRow = {
          id: newId('experiment'),
          revision: 1,
          functionId,
          label,
          ...found,
          status: 'running',
          allocation,
          rule: { delta, epsilon, minPerVariant },
          variants: variants.map((version) => ({ version, count: 0, sum: 0 })),
          winner: null,
          createdAt,
          createdBy: context.caller.id,
          endedAt: null,
        };
        if (old && isSame(old, made)) return experimentView(old);
        const writes: Write[] = [
          ...(old ? [stopOf(old, createdAt)] : []),
          { insert: 'experiments', row: made },
          referTo(head, { id: made.id, label }, createdAt, context),
        ];
        const details = { experimentId: made.id, label, variants: [...variants], ...(old && { stopped: old.id }) };
        const announces = old ? [experimentEnded({ ...old, status: 'stopped' })] : [];
        const event = { action: 'experiment.started', resource: resource(functionId), details, announces } as const;
        const { done } = await audit.commit(context, writes, event);
        return done ? experimentView(made) : undefined;
      });
    },

    async get(functionId, context) {
      await findRow(storage, 'functions', functionId, context);
      return experimentView(await latest(functionId, context));
    },

    async list(functionId, page, context) {
      await findRow(storage, 'functions', functionId, context);
      const query = { collection: 'experiments', where: { functionId }, page } as const;
      const { rows, ...rest } = await listPage(dependencies, query, context);
      return { ...rest, rows: rows.map(experimentView) };
    },

    async stop(functionId, context) {
      await findRow(storage, 'functions', functionId, context);
      return await retryRefused('too many concurrent changes to the experiment; try again', async () => {
        const head = await headOf(functionId, context);
        const row = await running(head, context);
        if (!row) throw notFound('no experiment is running');
        const endedAt = laterThan(row.createdAt, clock);
        const ended = { ...row, status: 'stopped', endedAt } as const;
        const writes = [stopOf(row, endedAt), referTo(head, null, endedAt, context)];
        const { done } = await audit.commit(context, writes, {
          action: 'experiment.ended',
          resource: resource(functionId),
          details: { experimentId: row.id, status: 'stopped' },
          announces: [experimentEnded(ended)],
        });
        return done ? experimentView(ended) : undefined;
      });
    },

    async rollBack(functionId, context) {
      await findRow(storage, 'functions', functionId, context);
      return await retryRefused('too many concurrent changes to the settings; try again', async () => {
        const head = await headOf(functionId, context);
        const row = await latest(functionId, context);
        const { id, label, before, winner, status, revision } = row;
        if (status !== 'won' || head.labels[label] !== winner) {
          throw new PatchbayError('conflict', `the label ${label} does not stand for the winner of an experiment`);
        }
        const updatedAt = laterThan(head.updatedAt, clock);
        const labels = { ...head.labels, [label]: before };
        const set = { labels, experiment: null, updatedAt, updatedBy: context.caller.id };
        const writes: Write[] = [
          { update: 'functionSettings', id: functionId, set, ifRevision: head.revision },
          { update: 'experiments', id, set: { status: 'rolled_back' }, ifRevision: revision },
        ];
        const { done } = await audit.commit(context, writes, {
          action: 'experiment.rolled_back',
          resource: resource(functionId),
          details: { experimentId: id, label, version: before },
          announces: [settingsUpdated(functionId, { version: before, label })],
        });
        return done ? experimentView({ ...row, status: 'rolled_back' }) : undefined;
      });
    },
  };
}

const resource = (id: string) => ({ type: 'function', id });

function referTo(
  { id, revision: ifRevision }: FunctionSettingsRow,
  experiment: FunctionSettingsRow['experiment'],
  updatedAt: string,
  { caller }: RequestContext,
): Write {
  return { update: 'functionSettings', id, set: { experiment, updatedAt, updatedBy: caller.id }, ifRevision };
}

function stopOf({ id, revision }: ExperimentRow, endedAt: string): Write {
  return { update: 'experiments', id, set: { status: 'stopped', endedAt }, ifRevision: revision };
}

/** Whether the definitions are the same, whatever the scores so far. */
function isSame(one: ExperimentRow, other: ExperimentRow): boolean {
  const definition = ({ label, metric, optimize, allocation, rule, variants }: ExperimentRow): string =>
    JSON.stringify([label, metric, optimize, allocation, rule, variants.map(({ version }) => version)]);
  return definition(one) === definition(other);
}

const notFound = (message: string): PatchbayError => new PatchbayError('experiment_not_found', message);
