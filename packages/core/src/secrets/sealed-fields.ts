import { everyRow } from '@patchbay/contracts/base/every-row';
import { tenantsOf } from '@patchbay/contracts/base/tenants-of';
import { type Collection, collections, type Rows, type SortField } from '@patchbay/contracts/rows';
import type { Changes, Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { SecretBox } from './secret-box.ts';

type SealedFields = { readonly [C in Collection]?: readonly (keyof Rows[C] & string)[] };

/**
 * Every field that holds a sealed text, directly or as `{ sealed }`. The location of the secret is the tenant, the
 * collection and field with a dot between them, and the id of the row.
 */
const sealedFields: SealedFields = {
  idempotencyKeys: ['answer'],
  webhooks: ['secret', 'previousSecret'],
  callContents: ['content'],
};

/** Counts of the stored secrets. */
export interface RewrapReport {
  /** Re-encrypted with the current root secret. */
  readonly rewrapped: number;
  /** Already encrypted with it. */
  readonly current: number;
  /** Cannot be decrypted: encrypted with an unknown root secret, or tampered with. */
  readonly unreadable: readonly string[];
}

/** Re-encrypt all secrets of older root secrets with the current one, during concurrent reads and writes. */
export async function rewrapSecrets(storage: Storage, box: SecretBox): Promise<RewrapReport> {
  let rewrapped = 0;
  let current = 0;
  const unreadable: string[] = [];
  for (const [collection, fields] of Object.entries(sealedFields) as [Collection, readonly string[]][]) {
    for await (const { tenant, row } of rowsOf(storage, collection)) {
      for (const field of fields) {
        const outcome = await rewrap(storage, box, { tenant, collection, field, row });
        if (outcome === 'rewrapped') rewrapped += 1;
        else if (outcome === 'current') current += 1;
        else if (outcome === 'unreadable') unreadable.push(`${collection} ${row.id} ${field}`);
      }
    }
  }
  return { rewrapped, current, unreadable };
}

/** Few rows at a time: each can be as large as 1 MiB. */
const PAGE = 10;

async function* rowsOf<C extends Collection>(storage: Storage, collection: C) {
  const sort = collections[collection].sort[0] as SortField<C>;
  for await (const tenant of tenantsOf(storage, collection, sort)) {
    for await (const row of everyRow(storage, tenant, collection, PAGE)) yield { tenant, row };
  }
}

interface Found {
  readonly tenant: TenantId;
  readonly collection: Collection;
  readonly field: string;
  readonly row: Rows[Collection];
}

/** A concurrent change has already sealed the row again or deleted it. */
async function rewrap(storage: Storage, box: SecretBox, { tenant, collection, field, row }: Found) {
  const value: unknown = Reflect.get(row, field);
  if (value === null) return 'empty';
  const isText = typeof value === 'string';
  const sealed: unknown = isText ? value : Reflect.get(Object(value), 'sealed');
  if (typeof sealed !== 'string') return 'unreadable';
  if (box.isCurrent(sealed)) return 'current';
  const place = { tenant, kind: `${collection}.${field}`, id: row.id };
  const text = box.open(sealed, place);
  if (text === undefined) return 'unreadable';
  const again = box.seal(text, place);
  const set = { [field]: isText ? again : { sealed: again } } as Changes<typeof collection>;
  const write = { update: collection, id: row.id, set, ifRevision: row.revision } as Parameters<
    Storage['commit']
  >[1][number];
  await storage.commit(tenant, [write]);
  return 'rewrapped';
}
