import type { FunctionSettings } from '../contracts/function-settings.ts';
import type { FunctionSettingsRow, SettingsVersionRow } from '../contracts/rows.ts';
import type { Write } from '../contracts/storage.ts';

/** The label that calls go by unless the config names another. */
export const DEFAULT_LABEL = 'production';

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
  const set = { latest, labels: { ...before?.labels, [label]: latest }, updatedAt: at, updatedBy: by };
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
  return { writes: [first, { insert: 'settingsVersions', row: version }], head, version };
}

export function versionId(functionId: string, version: number): string {
  return `${functionId}/${version}`;
}
