import { useSignal } from '@preact/signals';
import type { AuditEntry, Function as StoredFunction } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { costText, durationText } from '../../parts/figures.ts';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { READ_CALLS, readTrials, type Variant } from './trials.ts';
import type { ViewProps } from './view-props.ts';

/** Evaluations, as far as the server knows of them: the calls that they made, and the scores that the router was given. */
export function EvaluationsView({ page, head, saved }: ViewProps & { readonly saved: StoredFunction }) {
  const { api } = useConsole();
  const { id, name, code } = saved;
  const round = useSignal(0);
  const evidence = useLoad(
    async (signal) => {
      if (!api.may('listAuditEntries')) return [];
      const query = { resource: id, action: 'function.evidence.applied', order: 'desc', limit: 20 } as const;
      return (await api.call('listAuditEntries', { signal, query })).data;
    },
    [id],
  );
  const reload = (): void => {
    round.value += 1;
    evidence.reload();
  };
  return (
    <Page
      {...page}
      actions={
        <button type="button" onClick={reload}>
          Reload
        </button>
      }
    >
      {head}
      {evidence.error !== undefined && <ErrorView error={evidence.error} onRetry={evidence.reload} />}
      {code.trim() === '' && api.may('listCalls') && <Trials id={id} round={round.value} />}
      {evidence.data && evidence.data.length > 0 && <AppliedScores entries={evidence.data} />}
      <section aria-label="Run an evaluation">
        <h2>Run an evaluation</h2>
        <p class="quiet">
          It runs the function on cases with known answers, with each model and each version of its settings, and writes
          a report to a file. Its calls are listed here.
        </p>
        <CodeBlock label="Terminal" text={`patchbay eval ${quoted(name)} --html report.html`} />
      </section>
    </Page>
  );
}

const columns: readonly Column<Variant>[] = [
  { title: 'Model', width: 'minmax(0, 2fr)', cell: ({ model }) => model },
  { title: 'Settings', width: '5rem', number: true, cell: ({ settingsVersion }) => settingsVersion },
  { title: 'Calls', width: '5rem', number: true, wide: true, cell: ({ calls }) => calls.toLocaleString() },
  { title: 'Failed', width: '5rem', number: true, cell: ({ failed }) => failed.toLocaleString() },
  { title: 'Repaired', width: '6rem', number: true, wide: true, cell: ({ repaired }) => repaired.toLocaleString() },
  { title: 'Median', width: '6rem', number: true, wide: true, cell: ({ medianMs }) => durationText(medianMs) },
  { title: 'Cost per call', width: '7rem', number: true, wide: true, cell: ({ cost }) => cost && costText(cost) },
  { title: 'Last', width: '13rem', wide: true, cell: ({ last }) => <Time at={last} /> },
];

/** The calls that evaluations made, by what was compared. */
function Trials({ id, round }: { readonly id: string; readonly round: number }) {
  const { api } = useConsole();
  return (
    <section aria-label="Trials">
      <h2>Trials among the last {READ_CALLS.toLocaleString()} calls</h2>
      <DataList
        label="Trials"
        columns={columns}
        load={async (_, signal) => ({ data: await readTrials(api, id, signal) })}
        on={[id, round]}
        rowKey={({ model, settingsVersion }) => `${model} ${settingsVersion}`}
        href={({ model }) => linkTo(['calls'], { function: id, model })}
        empty={
          <EmptyState title="There was no evaluation lately">
            <p>None of these calls was made by one.</p>
          </EmptyState>
        }
      />
    </section>
  );
}

interface Told {
  readonly model: string;
  readonly settingsVersion: number;
  readonly counted: number;
}

/** Scores that `patchbay eval --apply` gave to the router, or took back. */
function AppliedScores({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <section aria-label="Scores for automatic choice">
      <h2>Scores for automatic choice</h2>
      <ul class="plain-list">
        {entries.map(({ id, createdAt, actor, details }) => {
          const { undo, models } = details as { readonly undo?: boolean; readonly models?: readonly Told[] };
          return (
            <li key={id}>
              <span>
                {undo ? 'Taken back' : 'Added'}:{' '}
                {models
                  ?.map(({ model, settingsVersion, counted }) => {
                    const count = Math.abs(counted).toLocaleString(undefined, { maximumFractionDigits: 2 });
                    return `${model}, settings ${settingsVersion}, weight ${count}`;
                  })
                  .join('; ')}
              </span>
              <span class="quiet">
                <Time at={createdAt} /> by {actor.id}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Quoted as one shell word. */
function quoted(name: string): string {
  return /^[\w-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
