import type { FunctionSettings } from '../contracts/function-settings.ts';
import type { FunctionSettingsRow, SettingsVersionRow } from '../contracts/rows.ts';
import type { Write } from '../contracts/storage.ts';

export interface NewSettings {
  readonly functionId: string;
  readonly values: FunctionSettings;
  readonly label: string;
  /** The settings until now, where there are any. */
  readonly before: FunctionSettingsRow | undefined;
  readonly at: string;
  readonly by: string;
}

/** The writes of a new version, and the rows as they are then. */
export function settingsWrites({ functionId, values, label, before, at, by }: NewSettings): {
  readonly writes: readonly Write[];
  readonly head: FunctionSettingsRow;
  readonly version: SettingsVersionRow;
} {
  const latest = (before?.latest ?? 0) + 1;
  const { experiment, writes } = endExperiment(before, label, at);
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
  return { writes: [first, { insert: 'settingsVersions', row: version }, ...writes], head, version };
}

export function versionId(functionId: string, version: number): string {
  return `${functionId}/${version}`;
}

/** The experiment of the head once a label stands for another version, and the writes that end one under this label. */
export function endExperiment(
  head: Pick<FunctionSettingsRow, 'experiment'> | undefined,
  label: string,
  endedAt: string,
): { readonly experiment: FunctionSettingsRow['experiment']; readonly writes: readonly Write[] } {
  const experiment = head?.experiment ?? null;
  if (experiment?.label !== label) return { experiment, writes: [] };
  const set = { status: 'superseded', endedAt } as const;
  return { experiment: null, writes: [{ update: 'experiments', id: experiment.id, set }] };
}
