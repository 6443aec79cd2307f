import { useSignal } from '@preact/signals';
import type { DeadLetter, RerunPage } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import type { ViewProps } from './view-props.ts';

/** Asynchronous executions of a function that did not complete in their last run. */
export function DeadLettersView({ page, head, id }: ViewProps & { readonly id: string }) {
  const { api } = useConsole();
  const changes = useSignal(0);
  const isEmpty = useSignal(true);
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    await work();
    changes.value += 1;
  };
  const rerunAll = async (): Promise<void> => {
    let cursor: string | undefined;
    do {
      const { meta }: RerunPage = await api.call('rerunDeadLetters', { path: { id }, query: newestFirst(cursor) });
      cursor = meta.nextCursor;
    } while (cursor !== undefined);
  };
  const button = (title: string, done: string, run: (letter: DeadLetter) => Promise<unknown>): Column<DeadLetter> => ({
    title: title === 'Run again' ? 'In the queue' : 'Not needed',
    width: '6.5rem',
    cell: (letter) => <ActionButton title={title} done={done} run={() => change(() => run(letter))} />,
  });
  const columns: readonly Column<DeadLetter>[] = [
    { title: 'Error', cell: ({ error }) => `${error.code ?? ''}: ${error.message ?? ''}` },
    { title: 'Status', width: '6.5rem', wide: true, cell: ({ status }) => <Badge kind="bad">{status}</Badge> },
    { title: 'Runs', width: '3rem', number: true, wide: true, cell: ({ attempts }) => attempts },
    { title: 'Ended', width: '12rem', wide: true, cell: ({ completedAt }) => <Time at={completedAt} /> },
    ...(api.may('rerunExecution')
      ? [
          button('Run again', 'It is in the queue.', (letter) =>
            api.call('rerunExecution', { path: { id: letter.id } }),
          ),
        ]
      : []),
    ...(api.may('removeDeadLetter')
      ? [button('Remove', 'It is removed.', (letter) => api.call('removeDeadLetter', { path: { id: letter.id } }))]
      : []),
  ];
  return (
    <Page
      {...page}
      actions={
        !isEmpty.value &&
        api.may('rerunDeadLetters') && (
          <ActionButton
            title="Run all again"
            done="They are in the queue, as far as their inputs fit."
            run={() => change(rerunAll)}
          >
            <p>Each runs with its input and the current version of the function, with your key.</p>
          </ActionButton>
        )
      }
    >
      {head}
      <DataList
        label="Dead letters"
        columns={columns}
        load={async (cursor, signal) => {
          const query = { ...newestFirst(cursor), functionId: id };
          const found = await api.call('listDeadLetters', { path: {}, signal, query });
          if (cursor === undefined) isEmpty.value = found.data.length === 0;
          return found;
        }}
        on={[id, changes.value]}
        rowKey={(letter) => letter.id}
        href={({ id: execution, attempts }) => (attempts > 0 ? linkTo(['calls', execution]) : undefined)}
        empty={
          <EmptyState title="Nothing has failed for good">
            <p>Executions in the background, and those of schedules, are listed here if their last run fails.</p>
          </EmptyState>
        }
      />
    </Page>
  );
}
