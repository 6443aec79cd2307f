import type { AppConfig } from '@patchbay/core';
import type { ProviderMount } from './provider-mounts.ts';
import type { Finding } from './report.ts';
import type { ImportedFunction } from './tensorzero/read-functions.ts';

/** The sections of a config that an import makes. */
export interface ImportedConfig extends Pick<AppConfig, 'functions' | 'gateway' | 'limits' | 'tenants'> {
  readonly providers: Readonly<Record<string, ProviderMount>>;
  readonly server?: { readonly host: string; readonly port: number };
}

/** The configuration of another gateway, in Patchbay's terms. */
export interface Imported {
  readonly config: ImportedConfig;
  readonly functions: readonly ImportedFunction[];
  /** One for each value, in the order of the configuration. */
  readonly findings: readonly Finding[];
}
