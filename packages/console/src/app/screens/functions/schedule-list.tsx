import type { Schedule } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import { ScheduleState, timesText } from './schedule-state.tsx';
import type { ViewProps } from './view-props.ts';

const columns: readonly Column<Schedule>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'When', width: 'minmax(0, 1.6fr)', cell: timesText },
  { title: 'Next', width: '13rem', wide: true, cell: ({ nextAt }) => nextAt !== undefined && <Time at={nextAt} /> },
  { title: 'State', width: 'minmax(5rem, 0.6fr)', cell: (schedule) => <ScheduleState {...schedule} /> },
];

/** The times at which a function runs by itself. */
export function ScheduleList({ page, head, id }: ViewProps & { readonly id: string }) {
  const { api } = useConsole();
  return (
    <Page
      {...page}
      actions={
        api.may('createSchedule') && (
          <a class="button primary" href={linkTo(['functions', id, 'schedules', 'new'])}>
            New schedule
          </a>
        )
      }
    >
      {head}
      <DataList
        label="Schedules"
        columns={columns}
        load={(cursor, signal) => api.call('listSchedules', { path: { id }, signal, query: newestFirst(cursor) })}
        on={[id]}
        rowKey={(schedule) => schedule.id}
        href={(schedule) => linkTo(['functions', id, 'schedules', schedule.id])}
        empty={
          <EmptyState title="It runs when it is called">
            <p>
              A schedule runs it at times of the clock: every night, or every five minutes.{' '}
              {api.may('createSchedule') && (
                <a href={linkTo(['functions', id, 'schedules', 'new'])}>Create a schedule</a>
              )}
            </p>
          </EmptyState>
        }
      />
    </Page>
  );
}
