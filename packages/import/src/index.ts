export type { Imported, ImportedConfig } from './imported.ts';
export { importLitellm } from './litellm/import-litellm.ts';
export type { OwnModel, ProviderMount } from './provider-mounts.ts';
export { textCapabilities } from './provider-mounts.ts';
export type { Finding } from './report.ts';
export { importTensorzero } from './tensorzero/import-tensorzero.ts';
