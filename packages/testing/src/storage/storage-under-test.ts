import assert from 'node:assert/strict';
import { type TenantId, tenantId } from '@patchbay/core/plugin';
import type { CommitResult, Storage, Write } from '@patchbay/core/storage';
import type { Runner } from '../runner.ts';

/** A storage that is started, migrated and empty. */
export interface StorageUnderTest {
  readonly storage: Storage;
  /** Stop it and start another one over the same data. Needed by storages that claim to be `durable`. */
  readonly reopen?: () => Promise<Storage>;
  /** Stop everything that runs and remove the data. Called once, at the end of a test. */
  dispose(): Promise<void>;
}

export interface StorageConformanceOptions {
  /** A fresh storage for each test. */
  create(): Promise<StorageUnderTest>;
  /**
   * The capabilities in the plugin's definition. They select the tests.
   *
   * - `durable`: rows outlive a restart
   * - `ordered`: commits are applied in the order in which they were called, without waiting for one another
   */
  readonly capabilities?: readonly string[];
  /** Contents of writes, for each capability that the storage itself names in `capabilities`. */
  readonly capabilityWrites?: Readonly<Record<string, CapabilitySamples>>;
}

/** Contents of three writes of one capability. */
export interface CapabilitySamples {
  /** Changes something, each time that it is committed. */
  readonly changing: unknown;
  /** Changes nothing, so that its commit is refused as `exists`. */
  readonly idle: unknown;
  /** Makes the database fail. */
  readonly failing: unknown;
}

/** The subject of a topic of the suite. */
export interface StorageSuite {
  readonly runner: Runner;
  readonly options: StorageConformanceOptions;
  /** A test with a separate storage. */
  readonly it: (name: string, body: (storage: Storage) => Promise<void>) => void;
}

export const acme: TenantId = tenantId('acme');
export const other: TenantId = tenantId('other');

export const done: CommitResult = { done: true };

/** Commit writes that have to succeed. */
export async function commit(storage: Storage, tenant: TenantId, ...writes: readonly Write[]): Promise<void> {
  assert.deepEqual(await storage.commit(tenant, writes), done);
}

/** Commit any number of writes that have to succeed, in batches that a commit can take. */
export async function commitMany(storage: Storage, tenant: TenantId, writes: readonly Write[]): Promise<void> {
  for (let start = 0; start < writes.length; start += 500) {
    await commit(storage, tenant, ...writes.slice(start, start + 500));
  }
}
