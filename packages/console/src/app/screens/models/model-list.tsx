import type { Explanation, ModelSummary } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { ModelState } from './model-state.tsx';
import { modelTabs } from './model-tabs.ts';

/** A model of the catalogue, with its health and its price as far as the caller may see them. */
type Listed = ModelSummary & Partial<Pick<Explanation['data'][number], 'state' | 'pricing'>>;

const price = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const priceText = (usd: number): string => `$${price.format(usd)}`;

const columns: readonly Column<Listed>[] = [
  { title: 'Model', width: 'minmax(0, 2fr)', cell: ({ id }) => id },
  { title: 'Health', width: '7.5rem', cell: ({ state }) => state && <ModelState state={state} /> },
  { title: 'Capabilities', width: 'minmax(0, 3fr)', wide: true, cell: ({ capabilities }) => capabilities.join(', ') },
  {
    title: 'Context',
    width: '6rem',
    number: true,
    wide: true,
    cell: ({ contextWindow }) => contextWindow?.toLocaleString() ?? '',
  },
  {
    title: 'Input, 1M',
    width: '5.5rem',
    number: true,
    wide: true,
    cell: ({ pricing }) => pricing && priceText(pricing.input),
  },
  {
    title: 'Output, 1M',
    width: '5.5rem',
    number: true,
    wide: true,
    cell: ({ pricing }) => pricing && priceText(pricing.output),
  },
];

export function ModelList({ search }: { readonly search: string }) {
  const { api, router } = useConsole();
  const load = async (_cursor: string | undefined, signal: AbortSignal) => {
    const [{ data: models }, { data: explained }] = await Promise.all([
      api.call('listModels', { signal }),
      api.may('explainModels') ? api.call('explainModels', { body: {}, signal }) : { data: [] },
    ]);
    const known = new Map(explained.map((each) => [each.id, each]));
    const found = models.filter(({ id }) => id.toLowerCase().includes(search.toLowerCase()));
    return { data: found.map((model): Listed => ({ ...known.get(model.id), ...model })) };
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
