import { useSignal } from '@preact/signals';
import type {
  ExecutionSummary,
  NextRuns,
  Schedule,
  Function as StoredFunction,
} from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { Badge } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { durationText } from '../../parts/figures.ts';
import { KeyName } from '../../parts/key-name.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import { ScheduleActions } from './schedule-actions.tsx';
import { catchUps, overlaps } from './schedule-form.tsx';
import { ScheduleState, timesText } from './schedule-state.tsx';
import type { ViewProps } from './view-props.ts';

const NEXT_SHOWN = 5;

interface ScheduleDetailProps extends ViewProps {
  readonly saved: StoredFunction;
  /** Id of the schedule. */
  readonly id: string;
}

/** A schedule, its next times, and the runs that it has made. */
export function ScheduleDetail({ page, head, saved, id }: ScheduleDetailProps) {
  const { api } = useConsole();
  const round = useSignal(0);
  const path = { id: saved.id, schedule: id };
  const { data, error, reload } = useLoad(
    async (signal) => {
      const [schedule, next] = await Promise.all([
        api.call('getSchedule', { path, signal }),
        api.call('listNextRuns', { path, signal, query: { limit: NEXT_SHOWN } }),
      ]);
      return { schedule, next };
    },
    [id],
  );
  const onChange = (): void => {
    round.value += 1;
    reload();
  };
  return (
    <Page
      {...page}
      actions={
        <>
          <button type="button" onClick={onChange}>
            Reload
          </button>
          {data && <ScheduleActions saved={saved} schedule={data.schedule} onChange={onChange} />}
        </>
      }
    >
      {head}
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {data && <ScheduleFacts {...data} />}
      <section aria-label="Runs">
        <h2>Runs</h2>
        <DataList
          label="Runs"
          columns={columns}
          load={(cursor, signal) => api.call('listScheduledExecutions', { path, signal, query: newestFirst(cursor) })}
          on={[id, round.value]}
          rowKey={(run) => run.id}
          href={({ id: execution, status }) => (hasTrace(status) ? linkTo(['calls', execution]) : undefined)}
          empty={<EmptyState title="It has not run yet" />}
        />
      </section>
    </Page>
  );
}

function ScheduleFacts({ schedule, next }: { readonly schedule: Schedule; readonly next: NextRuns }) {
  const { name, enabled, overlap, catchUp, lastMissedAt, createdBy, updatedBy, createdAt, input } = schedule;
  return (
    <>
      <Facts
        facts={[
          ['Schedule', name],
          ['State', <ScheduleState key="state" {...schedule} />],
          ['When', timesText(schedule)],
          ['While the run before has not ended', titleOf(overlaps, overlap)],
          ['Times at which no server was there', titleOf(catchUps, catchUp)],
          ['Last time that was left out', lastMissedAt && <Time key="missed" at={lastMissedAt} />],
          ['Runs as', <KeyName key="as" id={updatedBy} />],
          ['Created', <Time key="created" at={createdAt} />],
          ['Created by', <KeyName key="by" id={createdBy} />],
        ]}
      />
      <section aria-label="Next times">
        <h2>Next times{!enabled && ', if it were resumed now'}</h2>
        <ol class="next-times">
          {next.data.map((at) => (
            <li key={at}>
              <Time at={at} />
            </li>
          ))}
        </ol>
      </section>
      <CodeBlock label="Input" text={JSON.stringify(input, null, 2)} />
    </>
  );
}

function titleOf(choices: typeof overlaps, value: string): string {
  return choices.find((choice) => choice.value === value)?.title ?? value;
}

const kinds = {
  completed: 'good',
  failed: 'bad',
  timed_out: 'bad',
  interrupted: 'bad',
  cancelled: 'warn',
  queued: 'plain',
  running: 'plain',
} as const satisfies Readonly<Record<ExecutionSummary['status'], string>>;

const columns: readonly Column<ExecutionSummary>[] = [
  {
    title: 'Time',
    width: 'minmax(10rem, 1fr)',
    cell: ({ scheduledFor, createdAt }) => <Time at={scheduledFor ?? createdAt} />,
  },
  { title: 'Asked for', wide: true, cell: ({ scheduledFor }) => (scheduledFor ? 'by the schedule' : 'by a caller') },
  { title: 'Status', width: '7rem', cell: ({ status }) => <Badge kind={kinds[status]}>{status}</Badge> },
  {
    title: 'Took',
    width: '6rem',
    number: true,
    cell: ({ durationMs }) => (durationMs === undefined ? '' : durationText(durationMs)),
  },
];

/** Runs that never began, or have not ended, have no record of the call. */
function hasTrace(status: ExecutionSummary['status']): boolean {
  return status === 'completed' || status === 'failed' || status === 'timed_out';
}
