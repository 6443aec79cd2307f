import type { ApiClient } from '../../api/api-client.ts';
import { linkTo } from '../../frame/router.ts';
import { newestFirst } from '../../parts/use-keyset-list.ts';

/** Something that is about to go wrong, or already does. */
export interface AttentionItem {
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly href: string;
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;
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
  if (!api.may('listExpiringKeys')) return [];
  const { data, meta } = await api.call('listExpiringKeys', { query: { days: SOON_DAYS }, signal });
  const items = data.map(({ id, name, expiresAt }) => {
    const days = Math.floor((Date.parse(expiresAt) - Date.now()) / DAY_MS);
    const detail = `expires in ${days < 1 ? 'less than a day' : days === 1 ? 'a day' : `${days} days`}`;
    return { kind: 'Key', title: name, detail, href: linkTo(['keys', id]) };
  });
  const others = meta.total - data.length;
  if (others === 0) return items;
  const title = `${others.toLocaleString()} more keys`;
  return [...items, { kind: 'Key', title, detail: `expire within ${SOON_DAYS} days`, href: linkTo(['keys']) }];
};
