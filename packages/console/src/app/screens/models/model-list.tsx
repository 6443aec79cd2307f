import type { ModelSummary } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { modelTabs } from './model-tabs.ts';

const columns: readonly Column<ModelSummary>[] = [
  { title: 'Model', width: 'minmax(0, 2fr)', cell: ({ id }) => id },
  { title: 'Capabilities', width: 'minmax(0, 2fr)', wide: true, cell: ({ capabilities }) => capabilities.join(', ') },
  { title: 'Context', width: '8rem', number: true, cell: ({ contextWindow }) => contextWindow?.toLocaleString() ?? '' },
];

export function ModelList({ search }: { readonly search: string }) {
  const { api, router } = useConsole();
  const load = async () => {
    const { data } = await api.call('listModels', {});
    return { data: data.filter(({ id }) => id.toLowerCase().includes(search.toLowerCase())) };
  };
  return (
    <Page
      title="Models"
      actions={<SearchBox label="Search models" value={search} onSearch={(q) => router.filter({ q })} />}
    >
      {api.may('explainModels') && <Tabs label="Models" tabs={modelTabs('catalogue')} />}
      <DataList
        label="Models"
        columns={columns}
        load={load}
        on={[search]}
        rowKey={({ id }) => id}
        href={({ id }) => linkTo(['models', ...id.split('/')])}
        empty={
          <EmptyState title={search === '' ? 'No provider is on' : 'No model has this name'}>
            <p>
              Set the API key of a vendor, such as <code>OPENAI_API_KEY</code>, and start the server again.
            </p>
          </EmptyState>
        }
      />
    </Page>
  );
}
