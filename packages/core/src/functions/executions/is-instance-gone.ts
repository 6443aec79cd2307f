import type { Clock } from '../../contracts/clock.ts';
import type { InstanceRow } from '../../contracts/rows.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** Clocks of machines differ. */
const SKEW_MS = 2_000;

export interface InstanceView {
  readonly clock: Clock;
  readonly identity: ProcessIdentity;
}

/** An instance is gone once its lease has run out, or at once where the system can tell that its process is. */
export function isInstanceGone({ process, expiresAt }: InstanceRow, { clock, identity }: InstanceView): boolean {
  return Date.parse(expiresAt) + SKEW_MS < clock.now() || (process !== '' && identity.isGone(process));
}
