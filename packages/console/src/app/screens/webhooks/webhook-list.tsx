import type { Webhook } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import { WebhookState } from './webhook-state.tsx';

const columns: readonly Column<Webhook>[] = [
  { title: 'URL', width: 'minmax(0, 2fr)', cell: ({ url }) => url },
  { title: 'State', width: '10rem', narrow: '8rem', cell: (webhook) => <WebhookState {...webhook} /> },
  { title: 'Events', width: 'minmax(0, 2fr)', wide: true, cell: ({ events }) => events.join(', ') },
  { title: 'Description', wide: true, cell: ({ description }) => description },
];

export function WebhookList() {
  const { api } = useConsole();
  return (
    <Page
      title="Webhooks"
      actions={
        api.may('createWebhook') && (
          <a class="button primary" href={linkTo(['webhooks', 'new'])}>
            Create a webhook
          </a>
        )
      }
    >
      <DataList
        label="Webhooks"
        columns={columns}
        load={(cursor, signal) => api.call('listWebhooks', { query: newestFirst(cursor), signal })}
        rowKey={({ id }) => id}
        href={({ id }) => linkTo(['webhooks', id])}
        empty={
          <EmptyState title="There are no webhooks yet">
            <p>A webhook is a URL of yours that is told what happens here, such as executions that failed.</p>
          </EmptyState>
        }
      />
    </Page>
  );
}
