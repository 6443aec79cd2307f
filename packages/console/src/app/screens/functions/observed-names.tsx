import { useSignal } from '@preact/signals';
import type { ObservedName } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';

/** Names that callers use although there is no such function, and what each would look like as a function. */
export function ObservedNames() {
  const { api, router } = useConsole();
  const round = useSignal(0);
  const promote = async (id: string): Promise<void> => {
    const made = await api.call('promoteObservedName', { path: { id } });
    router.go(linkTo(['functions', made.id]));
  };
  const dismiss = async (id: string): Promise<void> => {
    await api.call('deleteObservedName', { path: { id } });
    round.value += 1;
  };
  const columns: readonly Column<ObservedName>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Members', wide: true, cell: ({ input }) => membersText(input) },
    { title: 'Calls', width: '3rem', number: true, wide: true, cell: ({ count }) => count.toLocaleString() },
    { title: 'Refused', width: '4rem', number: true, wide: true, cell: ({ refused }) => refused.toLocaleString() },
    { title: 'Last', width: '13rem', wide: true, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    ...(api.may('promoteObservedName')
      ? [
          action('As a function', 'Promote', ({ id, name }) => ({
            done: `${name} is a function.`,
            run: () => promote(id),
          })),
        ]
      : []),
    ...(api.may('deleteObservedName')
      ? [
          action('Not needed', 'Dismiss', ({ id, name }) => ({
            done: `${name} is dismissed.`,
            run: () => dismiss(id),
          })),
        ]
      : []),
  ];
  return (
    <Page title="Unknown names" trail={[{ title: 'Functions', href: linkTo(['functions']) }]}>
      <DataList
        label="Unknown names"
        columns={columns}
        load={(cursor, signal) =>
          api.call('listObservedNames', { signal, query: { ...(cursor !== undefined && { cursor }) } })
        }
        on={[round.value]}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="Every name that was called is a function">
            <p>
              A call of any other name is answered by a model, if the config allows it. It is listed here, and becomes a
              function by “Promote”.
            </p>
          </EmptyState>
        }
      />
    </Page>
  );
}

interface Action {
  readonly done: string;
  readonly run: () => Promise<void>;
}

/** A column with a button in each row. */
function action(title: string, button: string, of: (row: ObservedName) => Action): Column<ObservedName> {
  return { title, width: '6.5rem', cell: (row) => <ActionButton title={button} {...of(row)} /> };
}

function membersText(input: ObservedName['input']): string {
  return Object.entries(input)
    .map(([name, { types }]) => `${name}: ${types.join(' | ')}`)
    .join(', ');
}
