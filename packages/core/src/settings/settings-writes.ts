import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { FunctionSettingsRow, SettingsVersionRow } from '@patchbay/contracts/rows';
import type { Write } from '@patchbay/contracts/storage';
import { experimentEnded, type WebhookEvent } from '../events/webhook-outbox.ts';

export interface NewSettings {
  readonly functionId: string;
  readonly values: FunctionSettings;
  readonly label: string;
  /** The settings until now, if there are any. */
  readonly before: FunctionSettingsRow | undefined;
  readonly at: string;
  readonly by: string;
}

/** Writes, and what they announce. */
export interface SettingsChange {
  readonly writes: readonly Write[];
  /** The end of an experiment. */
  readonly events: readonly WebhookEvent[];
}

/** The writes of a new version, and the resulting rows. */
export function settingsWrites({ functionId, values, label, before, at, by }: NewSettings): SettingsChange & {
  readonly head: FunctionSettingsRow;
  readonly version: SettingsVersionRow;
} {
  const latest = (before?.latest ?? 0) + 1;
  const { experiment, writes, events } = endExperiment(before, label, at);
  const set = { latest, labels: { ...before?.labels, [label]: latest }, experiment, updatedAt: at, updatedBy: by };
  const head = { id: functionId, functionId, revision: (before?.revision ?? 0) + 1, ...set };
  const version: SettingsVersionRow = {
    id: versionId(functionId, latest),
    revision: 1,
    functionId,
    version: latest,
    values,
    createdAt: at,
    createdBy: by,
  };
  const first: Write = before
    ? { update: 'functionSettings', id: functionId, set, ifRevision: before.revision }
    : { insert: 'functionSettings', row: head };
  return { writes: [first, { insert: 'settingsVersions', row: version }, ...writes], events, head, version };
}

export function versionId(functionId: string, version: number): string {
  return `${functionId}/${version}`;
}

/** End the experiment, whatever its label. @returns Also the resulting head. */
export function withoutExperiment(
  head: FunctionSettingsRow,
  { at, by }: Pick<NewSettings, 'at' | 'by'>,
): SettingsChange & { readonly head: FunctionSettingsRow } {
  if (!head.experiment) return { head, writes: [], events: [] };
  const { experiment, writes, events } = endExperiment(head, head.experiment.label, at);
  const { id, revision: ifRevision } = head;
  const set = { experiment, updatedAt: at, updatedBy: by };
  const first: Write = { update: 'functionSettings', id, set, ifRevision };
  return { head: { ...head, ...set, revision: ifRevision + 1 }, writes: [first, ...writes], events };
}

/**
 * The end of the experiment of a label that points to another version from now on, if there is one.
 *
 * @returns The writes without the head, and the experiment that the head then has.
 */
export function endExperiment(
  head: Pick<FunctionSettingsRow, 'functionId' | 'experiment'> | undefined,
  label: string,
  endedAt: string,
): SettingsChange & Pick<FunctionSettingsRow, 'experiment'> {
  const experiment = head?.experiment ?? null;
  if (!head || experiment?.label !== label) return { experiment, writes: [], events: [] };
  const { id } = experiment;
  const status = 'superseded';
  return {
    experiment: null,
    writes: [{ update: 'experiments', id, set: { status, endedAt } }],
    events: [experimentEnded({ id, functionId: head.functionId, label, status, winner: null })],
  };
}
