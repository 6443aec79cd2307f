import type { ApiClient } from '../../api/api-client.ts';
import { linkTo } from '../../frame/router.ts';
import { newestFirst } from '../../parts/use-keyset-list.ts';

/** Something that will not go well, or does not already. */
export interface AttentionItem {
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly href: string;
}

const SOON_MS = 7 * 86_400_000;
const NEARLY_SPENT = 0.8;

/** Open circuits, disabled webhooks, budgets that are nearly spent, and keys that expire, as far as the caller may see them. */
export async function findAttention(api: ApiClient, signal: AbortSignal): Promise<readonly AttentionItem[]> {
  const found = await Promise.all([
    circuits(api, signal),
    webhooks(api, signal),
    budgets(api, signal),
    keys(api, signal),
  ]);
  return found.flat();
}

type Find = (api: ApiClient, signal: AbortSignal) => Promise<readonly AttentionItem[]>;

const circuits: Find = async (api, signal) => {
  if (!api.may('explainModels')) return [];
  const { data } = await api.call('explainModels', { body: {}, signal });
  return data
    .filter(({ state }) => state !== 'closed')
    .map(({ id, state }) => ({
      kind: 'Model',
      title: id,
      detail: state === 'open' ? 'fails, and is not called for a while' : 'failed, and is being tried again',
      href: linkTo(['models', ...id.split('/')]),
    }));
};

const webhooks: Find = async (api, signal) => {
  if (!api.may('listWebhooks')) return [];
  const { data } = await api.call('listWebhooks', { query: newestFirst(undefined), signal });
  return data
    .filter(({ enabled }) => !enabled)
    .map(({ id, url }) => ({ kind: 'Webhook', title: url, detail: 'is disabled', href: linkTo(['webhooks', id]) }));
};

const budgets: Find = async (api, signal) => {
  if (!api.may('listBudgets')) return [];
  const { data } = await api.call('listBudgets', { signal });
  return data
    .filter(({ spent, limit }) => Number(spent) >= NEARLY_SPENT * Number(limit))
    .map(({ id, name, spent, limit }) => ({
      kind: 'Budget',
      title: name ?? id,
      detail: `${Math.floor((Number(spent) / Number(limit)) * 100)} % are spent`,
      href: linkTo(['usage', 'budgets']),
    }));
};

const keys: Find = async (api, signal) => {
  if (!api.may('listKeys')) return [];
  const { data } = await api.call('listKeys', { query: newestFirst(undefined), signal });
  return data.flatMap(({ id, name, revokedAt, expiresAt }) => {
    const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
    if (revokedAt !== null || left <= 0 || left > SOON_MS) return [];
    const detail = `expires in ${left < SOON_MS / 7 ? 'less than a day' : `${Math.floor((left * 7) / SOON_MS)} days`}`;
    return [{ kind: 'Key', title: name, detail, href: linkTo(['keys', id]) }];
  });
};
