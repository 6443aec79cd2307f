import type { SettingsService } from '../service-types.ts';

type Stored = Awaited<ReturnType<SettingsService['get']>>;
type Version = Awaited<ReturnType<SettingsService['listVersions']>>['rows'][number];

export function settingsJson({ functionId, values, version, label, updatedAt, updatedBy }: Stored): object {
  return { functionId, ...values, version, ...(label === undefined ? {} : { label }), updatedAt, updatedBy };
}

export function settingsVersionJson({ functionId, version, labels, createdAt, createdBy }: Version) {
  return { functionId, version, labels, createdAt, createdBy };
}
