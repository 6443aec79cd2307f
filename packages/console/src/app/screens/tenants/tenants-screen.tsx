import type { Tenant } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';

/** From this count on, the actual number may be higher. */
const COUNTED = 10_000;

const countText = (count: number): string => (count < COUNTED ? count.toLocaleString() : `${count.toLocaleString()}+`);

const columns: readonly Column<Tenant>[] = [
  { title: 'Tenant', width: 'minmax(0, 2fr)', cell: ({ id }) => id },
  { title: 'Keys', width: '6rem', number: true, cell: ({ keys }) => countText(keys) },
  { title: 'Functions', width: '7rem', number: true, cell: ({ functions }) => countText(functions) },
  {
    title: 'Last used',
    width: '12rem',
    wide: true,
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never'),
  },
];

/** The tenants of the server, for its operator. Their content is visible only to their own keys. */
export default function TenantsScreen() {
  const { api } = useConsole();
  return (
    <Page title="Tenants">
      <DataList
        label="Tenants"
        columns={columns}
        load={(cursor, signal) =>
          api.call('listTenants', { query: { limit: 100, ...(cursor !== undefined && { cursor }) }, signal })
        }
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="There are no tenants yet">
            <p>A tenant appears here with its first key, function or call.</p>
          </EmptyState>
        }
      />
    </Page>
  );
}
