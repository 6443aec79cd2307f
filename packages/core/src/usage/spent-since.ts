import type { Storage } from '../contracts/storage.ts';
import type { TenantId } from '../contracts/tenant.ts';
import { hourPages } from './hour-pages.ts';

/** Sums of hours that nobody adds to any more need not be read again. */
export interface SpentSoFar {
  /** Billionths of a dollar, of the hours before `openHour`. */
  readonly closed: number;
  /** Of all hours. */
  readonly total: number;
  /** The first hour that may still change. */
  readonly openHour: string;
}

/** What a key, or a tenant without `keyId`, has spent, as far as it is on disk. */
export async function spentSince(
  storage: Storage,
  owner: { readonly tenant: TenantId; readonly keyId: string | undefined },
  before: Omit<SpentSoFar, 'total'>,
  openHour: string,
): Promise<SpentSoFar> {
  let { closed } = before;
  let open = 0;
  const where = owner.keyId === undefined ? {} : { keyId: owner.keyId };
  for await (const { hour, costNanoUsd } of hourPages(storage, owner.tenant, where, before.openHour)) {
    if (hour < openHour) closed += costNanoUsd;
    else open += costNanoUsd;
  }
  return { closed, total: closed + open, openHour };
}
