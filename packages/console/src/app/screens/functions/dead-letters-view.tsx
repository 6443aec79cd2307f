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

const columns: readonly Column<DeadLetter>[] = [
  { title: 'Ended', width: '13rem', cell: ({ completedAt }) => <Time at={completedAt} /> },
  { title: 'Status', width: '7rem', wide: true, cell: ({ status }) => <Badge kind="bad">{status}</Badge> },
  { title: 'Error', cell: ({ error }) => `${error.code ?? ''}: ${error.message ?? ''}` },
  { title: 'Runs', width: '4rem', number: true, cell: ({ attempts }) => attempts },
];

/** Asynchronous executions of a function that did not complete in their last run. */
export function DeadLettersView({ page, head, id }: ViewProps & { readonly id: string }) {
  const { api } = useConsole();
  const changes = useSignal(0);
  const rerun = async (): Promise<void> => {
    let cursor: string | undefined;
    do {
      const { meta }: RerunPage = await api.call('rerunDeadLetters', { path: { id }, query: newestFirst(cursor) });
      cursor = meta.nextCursor;
    } while (cursor !== undefined);
    changes.value += 1;
  };
  return (
    <Page
      {...page}
      actions={
        api.may('rerunDeadLetters') && (
          <ActionButton title="Run all again" done="They are in the queue, as far as their inputs fit." run={rerun}>
            <p>Each runs with its input and the current version of the function, with your key.</p>
          </ActionButton>
        )
      }
    >
      {head}
      <DataList
        label="Dead letters"
        columns={columns}
        load={(cursor, signal) =>
          api.call('listDeadLetters', { path: {}, signal, query: { ...newestFirst(cursor), functionId: id } })
        }
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
