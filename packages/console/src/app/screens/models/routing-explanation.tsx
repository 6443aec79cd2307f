import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { findFunctions } from '../../parts/find-functions.ts';
import { Page } from '../../parts/page.tsx';
import { SearchFilter } from '../../parts/search-filter.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { CandidateList } from './candidate-list.tsx';
import { modelTabs } from './model-tabs.ts';

const criteria = ['cost', 'quality', 'performance'].map((value) => ({ value, title: `By ${value}` }));

/** Which model would be called now, and why: in general, or for a function with what has been learned about it. */
export function RoutingExplanation({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const { api, router } = useConsole();
  const { function: functionName = '', by = '' } = query;
  const body = { ...(functionName && { functionName }), ...(by && { model: `auto:${by}` }) };
  const { data, error, reload } = useLoad((signal) => api.call('explainModels', { body, signal }), [functionName, by]);
  return (
    <Page title="Models">
      <Tabs label="Models" tabs={modelTabs('routing')} />
      <div class="filters" role="search" aria-label="What to explain">
        <SearchFilter
          label="Function"
          all="any"
          chosen={functionName ? { id: functionName, name: functionName } : undefined}
          find={async (words, signal) =>
            api.may('listFunctions') ? (await findFunctions(api, words, undefined, signal)).data : []
          }
          onChoose={(choice) => router.filter({ ...query, function: choice?.name ?? '' })}
        />
        <FilterSelect
          label="Criterion"
          all="balanced"
          value={by}
          options={criteria}
          onChoose={(value) => router.filter({ ...query, by: value })}
        />
        <button type="button" onClick={reload}>
          Ask again
        </button>
      </div>
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {data?.data.length === 0 && (
        <EmptyState title="No provider is on">
          <p>
            <a href={linkTo(['models'])}>The catalogue</a> says how to turn one on.
          </p>
        </EmptyState>
      )}
      {data && <CandidateList candidates={data.data} />}
    </Page>
  );
}
