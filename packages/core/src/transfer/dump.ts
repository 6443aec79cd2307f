import { everyRow } from '@patchbay/contracts/base/every-row';
import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { type Collection, collections, type Rows } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** A row of a dump, and its tenant. */
export type DumpedRow = {
  readonly [C in Collection]: { readonly collection: C; readonly tenant: TenantId; readonly row: Rows[C] };
}[Collection];

/** Functions with their versions, bundles, settings and datasets. */
export const functionCollections = [
  'functions',
  'functionVersions',
  'functionBundles',
  'functionSettings',
  'settingsVersions',
  'experiments',
  'datasetExamples',
] as const satisfies readonly Collection[];

/**
 * Collections of running servers and of browsers that are signed in to them; the content of calls, which is kept for
 * days in its place, and not in copies that outlive it; and totals that are recomputed from others.
 */
const passing: readonly Collection[] = ['instances', 'executionSlots', 'sessions', 'callContents', 'usageDays'];

export const allCollections = (Object.keys(collections) as Collection[]).filter((name) => !passing.includes(name));

/** The first line of a dump: what it is, and its format. Version 1 had no end. */
export const dumpHead = { patchbay: 'dump', version: 2 } as const;

/** The last line of a dump: what was cut off, or lacks lines, shows by it. */
export const dumpEnd = (rows: number) => ({ patchbay: 'end', rows }) as const;

/** Collections whose rows can have several MiB each. */
const large: ReadonlySet<Collection> = new Set([
  'executions',
  'functions',
  'functionVersions',
  'functionBundles',
  'settingsVersions',
  'datasetExamples',
  'idempotencyKeys',
  'feedback',
]);

/** Rows that are read in one turn of the event loop. */
const PAGE = { large: 5, small: 100 } as const;

/**
 * A dump as text: a line of JSON for each row, between one that identifies it and one that ends it. The last piece has two
 * lines, so that there is one piece for each row, and one more.
 *
 * @param rootSecret The mark of the root secret that some of its rows depend on, if any do.
 */
export async function* writeDump(rows: AsyncIterable<DumpedRow>, rootSecret?: string): AsyncGenerator<string> {
  let piece = `${JSON.stringify({ ...dumpHead, ...(rootSecret !== undefined && { rootSecret }) })}\n`;
  let count = 0;
  for await (const { collection, tenant, row } of rows) {
    yield piece;
    count += 1;
    piece = `${jsonTextOf({ collection, tenant, row })}\n`;
  }
  yield `${piece}${JSON.stringify(dumpEnd(count))}\n`;
}

/**
 * Every row of these tenants and collections. A row that changes meanwhile appears as it was before or after; one that
 * does not change appears exactly once.
 */
export async function* dumpStorage(
  storage: Storage,
  tenants: readonly TenantId[],
  names: readonly Collection[],
): AsyncGenerator<DumpedRow> {
  for (const tenant of tenants) {
    for (const collection of names) yield* dumpCollection(storage, tenant, collection);
  }
}

async function* dumpCollection<C extends Collection>(
  storage: Storage,
  tenant: TenantId,
  collection: C,
): AsyncGenerator<DumpedRow> {
  const limit = large.has(collection) ? PAGE.large : PAGE.small;
  for await (const row of everyRow(storage, tenant, collection, limit)) {
    yield { collection, tenant, row } as unknown as DumpedRow;
  }
}
