import type { FunctionSummary } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { findFunctions } from '../../parts/find-functions.ts';
import { Page } from '../../parts/page.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Time } from '../../parts/time.tsx';

const columns: readonly Column<FunctionSummary>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Purpose', width: 'minmax(0, 2fr)', wide: true, cell: ({ description }) => description },
  { title: 'Changed', width: '13rem', wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function FunctionList({ search }: { readonly search: string }) {
  const { api, router } = useConsole();
  return (
    <Page
      title="Functions"
      actions={
        <>
          <SearchBox label="Search functions" value={search} onSearch={(q) => router.filter({ q })} />
          <a class="button" href={linkTo(['functions', 'names'])}>
            Unknown names
          </a>
          {api.may('createFunction') && (
            <a class="button primary" href={linkTo(['functions', 'new'])}>
              New function
            </a>
          )}
        </>
      }
    >
      <DataList
        label="Functions"
        columns={columns}
        load={(cursor, signal) => findFunctions(api, search, cursor, signal)}
        on={[search]}
        rowKey={({ id }) => id}
        href={({ id }) => linkTo(['functions', id])}
        empty={
          <EmptyState title={search === '' ? 'There are no functions yet' : 'No function has these words'}>
            <p>
              A function has a name, schemas of its input and output, and code; without code, a model answers.{' '}
              {api.may('createFunction') && <a href={linkTo(['functions', 'new'])}>Write one</a>}
            </p>
          </EmptyState>
        }
      />
    </Page>
  );
}
