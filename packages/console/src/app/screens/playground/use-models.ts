import type { ModelSummary } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';

/** The models that can chat, by their ids. */
export function useModels(): ReadonlyMap<string, ModelSummary> {
  const { api } = useConsole();
  const { data } = useLoad(async (signal) => {
    const { data: all } = api.may('listModels') ? await api.call('listModels', { signal }) : { data: [] };
    return new Map(all.filter(({ capabilities }) => capabilities.includes('chat')).map((model) => [model.id, model]));
  });
  return data ?? new Map<string, ModelSummary>();
}
