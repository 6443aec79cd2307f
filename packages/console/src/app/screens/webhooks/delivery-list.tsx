import type { WebhookDelivery } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { ListTime } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import { DeliveryState } from './webhook-state.tsx';

const columns: readonly Column<WebhookDelivery>[] = [
  { title: 'Event', cell: ({ eventType }) => eventType },
  { title: 'State', width: '7rem', narrow: '6rem', cell: (delivery) => <DeliveryState {...delivery} /> },
  { title: 'Last answer', wide: true, cell: ({ log }) => answerOf(log.at(-1)) },
  { title: 'Attempts', width: '6rem', number: true, wide: true, cell: ({ attempts }) => attempts },
  { title: 'Created', width: '12rem', narrow: '6rem', cell: ({ createdAt }) => <ListTime at={createdAt} /> },
];

const states = ['waiting', 'delivered', 'failed'] as const;

interface DeliveryListProps {
  readonly webhook: string;
  /** Only those in this state. Empty: all. */
  readonly state: string;
  /** A different number reloads the list. */
  readonly round: number;
}

export function DeliveryList({ webhook, state, round }: DeliveryListProps) {
  const { api } = useConsole();
  const only = states.find((each) => each === state);
  const href = (to: string): string => linkTo(['webhooks', webhook], { state: to });
  return (
    <>
      <Tabs
        label="Deliveries"
        tabs={['', ...states].map((each) => ({
          title: each === '' ? 'All deliveries' : `${each[0]?.toUpperCase()}${each.slice(1)}`,
          href: href(each),
          current: each === (only ?? ''),
        }))}
      />
      <DataList
        label="Deliveries"
        columns={columns}
        load={(cursor, signal) => {
          const query = { ...newestFirst(cursor), ...(only && { state: only }) };
          return api.call('listWebhookDeliveries', { path: { id: webhook }, query, signal });
        }}
        on={[webhook, state, round]}
        rowKey={({ id }) => id}
        href={({ id }) => linkTo(['webhooks', webhook, id])}
        empty={
          <EmptyState title="No deliveries here">
            <p>Every event that is sent appears here with what the receiver answered.</p>
          </EmptyState>
        }
      />
    </>
  );
}

export function answerOf(attempt: WebhookDelivery['log'][number] | undefined): string {
  if (attempt === undefined) return '';
  const { status, failure, durationMs } = attempt;
  return [status ?? failure, `in ${durationMs} ms`].join(' ');
}
