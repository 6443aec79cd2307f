import { isTenantId, type JsonValue, type TenantId, tenantId } from '@patchbay/core/plugin';

/** What `data` of a job holds. The payload stays text: `jsonb` would refuse some characters and sort the keys. */
export interface JobData {
  readonly tenant: string;
  readonly payload: string;
}

/** Undefined for what this queue has not written: the tables are open to everybody who uses pg-boss. */
export function readJobData(data: unknown): { readonly tenant: TenantId; readonly payload: JsonValue } | undefined {
  const { tenant, payload }: Partial<Record<keyof JobData, unknown>> = data ?? {};
  if (typeof tenant !== 'string' || !isTenantId(tenant) || typeof payload !== 'string') return undefined;
  try {
    return { tenant: tenantId(tenant), payload: JSON.parse(payload) as JsonValue };
  } catch {
    return undefined;
  }
}
