import type { Key } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import { budgetText, KeyState } from './key-state.tsx';

const columns: readonly Column<Key>[] = [
  { title: 'Key', width: 'minmax(0, 2fr)', cell: ({ name }) => name },
  { title: 'State', width: '7rem', cell: (key) => <KeyState {...key} /> },
  { title: 'Scopes', width: 'minmax(0, 2fr)', wide: true, cell: ({ scopes }) => scopes.join(', ') },
  { title: 'Budget', wide: true, cell: ({ budget }) => budgetText(budget) },
  { title: 'Last used', width: '12rem', wide: true, cell: ({ lastUsedAt }) => lastUsedAt && <Time at={lastUsedAt} /> },
];

export function KeyList() {
  const { api } = useConsole();
  const tenant = api.session.value?.tenant;
  return (
    <Page
      title={tenant === undefined || tenant === 'default' ? 'Keys' : `Keys of ${tenant}`}
      actions={
        <a class="button primary" href={linkTo(['keys', 'new'])}>
          Create a key
        </a>
      }
    >
      <DataList
        label="Keys"
        columns={columns}
        load={(cursor, signal) => api.call('listKeys', { query: newestFirst(cursor), signal })}
        rowKey={({ id }) => id}
        href={({ id }) => linkTo(['keys', id])}
        empty={
          <EmptyState title="There are no keys yet">
            <p>Programs call the server with a key of their own: create one for each.</p>
          </EmptyState>
        }
      />
    </Page>
  );
}
