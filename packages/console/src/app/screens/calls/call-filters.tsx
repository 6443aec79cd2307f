import type { CallRecord } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { findFunctions, findKeys } from '../../parts/find-functions.ts';
import { type Choice, SearchFilter } from '../../parts/search-filter.tsx';
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
      <NamedFilter
        label="Function"
        chosen={filter['function']}
        read={(id, signal) => api.call('getFunction', { path: { id }, signal })}
        find={async (words, signal) =>
          api.may('listFunctions') ? (await findFunctions(api, words, undefined, signal)).data : []
        }
        onChoose={choose('function')}
      />
      <NamedFilter
        label="Key"
        chosen={filter['key']}
        read={(id, signal) => api.call('getKey', { path: { id }, signal })}
        find={async (words, signal) => (api.may('listKeys') ? (await findKeys(api, words, signal)).data : [])}
        onChoose={choose('key')}
      />
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

/** A filter whose value is the id of something with a name. */
function NamedFilter(props: {
  readonly label: string;
  readonly chosen: string | undefined;
  readonly read: (id: string, signal: AbortSignal) => Promise<Choice>;
  readonly find: (words: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  readonly onChoose: (id: string) => void;
}) {
  const { label, chosen: id, read, find, onChoose } = props;
  const { data: chosen } = useLoad(
    async (signal) => {
      if (id === undefined) return undefined;
      // It may be deleted, or not visible to this key.
      const { name } = await read(id, signal).catch(() => ({ name: id }));
      return { id, name };
    },
    [id],
  );
  return <SearchFilter {...{ label, find }} chosen={chosen} onChoose={(choice) => onChoose(choice?.id ?? '')} />;
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
