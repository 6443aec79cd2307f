import { timestamp } from '../../base/clock.ts';
import { idOfContent } from '../../base/type-id.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { JsonValue } from '../../contracts/json.ts';
import type { ExecutionRow } from '../../contracts/rows.ts';
import type { Storage, Write } from '../../contracts/storage.ts';
import type { TenantId } from '../../contracts/tenant.ts';

/**
 * Let an execution run, with a slot if its function limits how many run at the same time. The slot is a row with an id that only
 * one execution can have, in the commit of the start, so that the limit holds for all servers together.
 *
 * @returns `full` if there is no slot, and `refused` if the execution cannot start.
 */
export async function commitStart(
  { storage, clock }: { readonly storage: Pick<Storage, 'get' | 'commit'>; readonly clock: Clock },
  tenant: TenantId,
  row: Pick<ExecutionRow, 'id' | 'functionId' | 'policy' | 'input' | 'effectiveInput'>,
  start: Write,
): Promise<'started' | 'refused' | 'full'> {
  const { concurrency } = row.policy ?? {};
  if (!concurrency) return (await storage.commit(tenant, [start])).done ? 'started' : 'refused';
  const value = concurrency.by === undefined ? null : propertyOf(row, concurrency.by);
  for (let number = 0; number < concurrency.limit; number += 1) {
    const id = idOfContent('slot', JSON.stringify([tenant, row.functionId, value, number]));
    // A read costs less than a commit that is refused.
    if (await storage.get(tenant, 'executionSlots', id)) continue;
    const slot = { id, revision: 1, executionId: row.id, createdAt: timestamp(clock) };
    const result = await storage.commit(tenant, [start, { insert: 'executionSlots', row: slot }]);
    if (result.done) return 'started';
    if (result.index === 0) return 'refused';
  }
  return 'full';
}

function propertyOf(
  { input, effectiveInput }: Pick<ExecutionRow, 'input' | 'effectiveInput'>,
  name: string,
): JsonValue {
  const all = effectiveInput ?? input;
  return Object.hasOwn(all, name) ? (all[name] as JsonValue) : null;
}

/** The writes that free the slot of an execution, in the commit of its end. */
export function freeSlot({ id, policy }: Pick<ExecutionRow, 'id' | 'policy'>): readonly Write[] {
  return policy?.concurrency ? [{ deleteWhere: 'executionSlots', where: { executionId: id } }] : [];
}
