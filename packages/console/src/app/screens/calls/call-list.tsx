import { useMemo } from 'preact/hooks';
import { followEvents } from '../../api/follow-events.ts';
import type { CallRecord } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { costText, durationText } from '../../parts/figures.ts';
import { Page } from '../../parts/page.tsx';
import { ListTime } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';
import { CallFilters, filterQuery } from './call-filters.tsx';
import { CallOutcome, callTitle } from './call-outcome.tsx';

const columns: readonly Column<CallRecord>[] = [
  { title: 'Call', width: 'minmax(0, 3fr)', cell: callTitle },
  { title: 'Outcome', width: '6.5rem', cell: (call) => <CallOutcome {...call} /> },
  { title: 'Error', width: 'minmax(0, 3fr)', wide: true, cell: ({ errorCode }) => errorCode },
  { title: 'Model', width: 'minmax(0, 4fr)', wide: true, cell: ({ model }) => model },
  { title: 'Took', width: '4.5rem', number: true, wide: true, cell: ({ durationMs }) => durationText(durationMs) },
  {
    title: 'Tokens',
    width: '4rem',
    number: true,
    wide: true,
    cell: ({ promptTokens, completionTokens }) => (promptTokens + completionTokens || '').toLocaleString(),
  },
  { title: 'Cost', width: '5.5rem', number: true, wide: true, cell: ({ cost }) => costText(cost) },
  { title: 'Ended', width: '12rem', narrow: '6rem', cell: ({ createdAt }) => <ListTime at={createdAt} /> },
];

/** Calls as they end, newest first. */
export function CallList({ filter }: { readonly filter: Readonly<Record<string, string>> }) {
  const { api } = useConsole();
  const on = JSON.stringify(filter);
  // The time counts from when it was chosen, so that all pages belong to one list.
  const query = useMemo(() => filterQuery(filter), [on]);
  async function* follow(newest: CallRecord | undefined, signal: AbortSignal): AsyncGenerator<CallRecord> {
    const since = newest?.createdAt ?? query.since;
    const events = followEvents(api, 'listCalls', { query: { ...query, ...(since && { since }) }, signal });
    for await (const { data } of events) yield data as CallRecord;
  }
  return (
    <Page title="Calls">
      <CallFilters filter={filter} />
      <DataList
        label="Calls"
        columns={columns}
        load={(cursor, signal) => api.call('listCalls', { query: { ...newestFirst(cursor), ...query }, signal })}
        follow={follow}
        on={[on]}
        rowKey={({ id }) => id}
        href={({ id }) => linkTo(['calls', id])}
        empty={
          on === '{}' ? (
            <EmptyState title="Nothing was called yet">
              <p>Calls of functions and models are here as soon as they have ended.</p>
            </EmptyState>
          ) : (
            <EmptyState title="No call matches">
              <p>
                <a href={linkTo(['calls'])}>Show all calls</a>
              </p>
            </EmptyState>
          )
        }
      />
    </Page>
  );
}
