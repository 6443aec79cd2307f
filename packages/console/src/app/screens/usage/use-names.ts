import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import type { Grouping } from './usage-filters.tsx';

/** The names of the newest keys or functions by their ids, as far as the key may read them. Sums have only ids. */
export function useNames(groupBy: Grouping): ReadonlyMap<string, string> {
  const { api } = useConsole();
  const { data } = useLoad(
    async (signal) => {
      const query = { limit: 100 } as const;
      if (groupBy === 'key' && api.may('listKeys')) return (await api.call('listKeys', { query, signal })).data;
      if (groupBy === 'function' && api.may('listFunctions')) {
        return (await api.call('listFunctions', { query, signal })).data;
      }
      return [];
    },
    [groupBy],
  );
  return new Map(data?.map(({ id, name }) => [id, name]));
}
