import type { Model } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';

export type Prices = ReadonlyMap<string, Model['pricing']>;

/** List prices of models, by their ids. Lists of models have none: each model is read. */
export function usePrices(ids: readonly string[]): Prices {
  const { api } = useConsole();
  const named = [...new Set(ids)].filter((id) => id !== '').toSorted();
  const { data } = useLoad(
    async (signal) => {
      if (!api.may('getModel')) return undefined;
      const read = named.map(
        async (id) => [id, (await api.call('getModel', { path: { id }, signal })).pricing] as const,
      );
      // An answer without an estimate is still an answer.
      const found = await Promise.allSettled(read);
      return new Map(found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    },
    [named.join()],
  );
  return data ?? new Map<string, Model['pricing']>();
}
