import { type AuditEntry, lists } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { ListTime } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import { AuditDetail } from './audit-detail.tsx';
import { AuditVerification } from './audit-verification.tsx';

const columns: readonly Column<AuditEntry>[] = [
  { title: 'Action', width: 'minmax(10rem, 1fr)', cell: ({ action }) => action },
  { title: 'Resource', width: 'minmax(0, 2fr)', wide: true, cell: ({ resource }) => resource.id },
  { title: 'By', width: 'minmax(0, 2fr)', wide: true, cell: ({ actor }) => actor.id },
  { title: 'When', width: '12rem', narrow: '6rem', cell: ({ createdAt }) => <ListTime at={createdAt} /> },
  { title: 'Number', width: '5rem', number: true, wide: true, cell: ({ sequence }) => sequence },
];

/** Who changed what, and whether the log is intact. */
export default function AuditScreen({ path: [sequence], query }: ScreenProps) {
  const { api, router } = useConsole();
  const { resource = '' } = query;
  const action = lists.auditActions.find((each) => each === query['action']);
  if (sequence !== undefined) return <AuditDetail sequence={Number(sequence)} resource={resource} action={action} />;
  const filter = (changed: Readonly<Record<string, string>>): void => router.filter({ ...query, ...changed });
  return (
    <Page
      title="Audit log"
      actions={
        <>
          <select
            aria-label="Action"
            value={action ?? ''}
            onChange={(event) => filter({ action: event.currentTarget.value })}
          >
            <option value="">All actions</option>
            {lists.auditActions.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          <SearchBox label="Id of the resource" value={resource} onSearch={(text) => filter({ resource: text })} />
        </>
      }
    >
      <AuditVerification />
      <DataList
        label="Audit log"
        columns={columns}
        load={(cursor, signal) => {
          const only = { ...(action && { action }), ...(resource !== '' && { resource }) };
          return api.call('listAuditEntries', { query: { ...newestFirst(cursor), ...only }, signal });
        }}
        on={[action, resource]}
        rowKey={({ id }) => id}
        href={(entry) => linkToEntry(entry)}
        empty={
          <EmptyState title="No entry fits">
            <p>Every change of functions, settings, keys and webhooks is listed here.</p>
          </EmptyState>
        }
      />
    </Page>
  );
}

/** With what finds it: entries are read by what they are about. */
function linkToEntry({ sequence, action, resource }: AuditEntry): string {
  return linkTo(['audit', String(sequence)], { action, resource: resource.id });
}
