import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';

/** Ids of the models that can chat. */
export function useModelIds(): readonly string[] {
  const { api } = useConsole();
  const { data } = useLoad(async (signal) => {
    const { data: all } = api.may('listModels') ? await api.call('listModels', { signal }) : { data: [] };
    return all.filter(({ capabilities }) => capabilities.includes('chat')).map(({ id }) => id);
  });
  return data ?? [];
}
