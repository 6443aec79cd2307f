import type { ApiClient } from '../../api/api-client.ts';
import type { CallRecord } from '../../api/operations.generated.ts';

const PAGES = 5;
const PAGE = 100;

/** Number of newest calls that are searched. */
export const READ_CALLS = PAGES * PAGE;

/** How the trials of one model and one version of the settings went. */
export interface Variant {
  readonly model: string;
  readonly settingsVersion: number | null;
  readonly calls: number;
  readonly failed: number;
  readonly repaired: number;
  readonly medianMs: number;
  /** Of an average call. Undefined: the price of a call is not known. */
  readonly cost: { readonly amount: string } | undefined;
  /** When the last call ended. */
  readonly last: string;
}

/** The trials among the newest calls of a function, by model and settings. */
export async function readTrials(api: ApiClient, functionId: string, signal: AbortSignal): Promise<readonly Variant[]> {
  if (!api.may('listCalls')) return [];
  const groups = new Map<string, CallRecord[]>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const query = { functionId, order: 'desc', limit: PAGE, ...(cursor !== undefined && { cursor }) } as const;
    const { data, meta } = await api.call('listCalls', { query, signal });
    for (const call of data.filter(({ decision }) => decision?.trial === true)) {
      const key = `${call.model ?? ''} ${call.settingsVersion ?? ''}`;
      groups.set(key, [...(groups.get(key) ?? []), call]);
    }
    cursor = meta.nextCursor;
    if (cursor === undefined) break;
  }
  return [...groups.values()].flatMap((calls) => variantOf(calls));
}

function variantOf(calls: readonly CallRecord[]): readonly Variant[] {
  const [newest] = calls;
  if (!newest) return [];
  const count = (outcome: CallRecord['outcome']): number => calls.filter((call) => call.outcome === outcome).length;
  const durations = calls.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  const isPriced = calls.every(({ cost }) => cost !== null);
  const sum = calls.reduce((total, { cost }) => total + Number(cost?.amount ?? 0), 0);
  return [
    {
      model: newest.model ?? '',
      settingsVersion: newest.settingsVersion,
      calls: calls.length,
      failed: count('failed'),
      repaired: count('repaired'),
      medianMs: durations[(durations.length - 1) >> 1] ?? 0,
      cost: isPriced ? { amount: String(sum / calls.length) } : undefined,
      last: newest.createdAt,
    },
  ];
}
