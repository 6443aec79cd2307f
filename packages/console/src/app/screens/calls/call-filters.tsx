import type { CallRecord } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { outcomes } from './call-outcome.tsx';

type Filter = Readonly<Record<string, string>>;

const MINUTE_MS = 60_000;
const times = [
  { value: '15', title: 'Last 15 minutes' },
  { value: '60', title: 'Last hour' },
  { value: '1440', title: 'Last day' },
  { value: '10080', title: 'Last 7 days' },
];

/** The filters of the list of calls. They are in the URL, so that a list can be shared. */
export function CallFilters({ filter }: { readonly filter: Filter }) {
  const { api, router } = useConsole();
  const { data: functions } = useNames('listFunctions', filter['function']);
  const { data: keys } = useNames('listKeys', filter['key']);
  const { data: models } = useLoad(async (signal) => {
    const { data } = api.may('listModels') ? await api.call('listModels', { signal }) : { data: [] };
    return data.map(({ id }) => ({ value: id, title: id }));
  });
  const choose = (name: string) => (value: string) => router.filter({ ...filter, [name]: value });
  const select = (name: string, label: string, options: readonly { value: string; title: string }[] | undefined) => (
    <FilterSelect label={label} value={filter[name] ?? ''} options={options ?? []} onChoose={choose(name)} />
  );
  return (
    <div class="filters" role="search" aria-label="Filters">
      {select('function', 'Function', functions)}
      {select('key', 'Key', keys)}
      {select('model', 'Model', models)}
      {select(
        'outcome',
        'Outcome',
        outcomes.map((value) => ({ value, title: value })),
      )}
      {select('time', 'Time', times)}
    </div>
  );
}

/** The things of a list that can be chosen, and the one that is, if it is not among the newest. */
function useNames(operation: 'listFunctions' | 'listKeys', chosen: string | undefined) {
  const { api } = useConsole();
  return useLoad(
    async (signal) => {
      const query = { limit: 100 };
      const { data } = api.may(operation) ? await api.call(operation, { query, signal }) : { data: [] };
      const options = data.map(({ id, name }) => ({ value: id, title: name }));
      const isListed = chosen === undefined || options.some(({ value }) => value === chosen);
      return isListed ? options : [...options, { value: chosen, title: chosen }];
    },
    [chosen],
  );
}

/** The query of `listCalls` for a filter of the URL. */
export function filterQuery({ function: functionId, key: keyId, model, outcome, time }: Filter) {
  const minutes = Number(time);
  return {
    ...(functionId && { functionId }),
    ...(keyId && { keyId }),
    ...(model && { model }),
    ...(outcome && { outcome: outcome as CallRecord['outcome'] }),
    ...(minutes > 0 && { since: new Date(Date.now() - minutes * MINUTE_MS).toISOString() }),
  };
}
