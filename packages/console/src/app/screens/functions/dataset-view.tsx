import type { Example } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { Badge } from '../../parts/badge.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import type { ViewProps } from './view-props.ts';

const columns: readonly Column<Example>[] = [
  { title: 'Input', cell: ({ input }) => JSON.stringify(input) },
  { title: 'Expected', cell: ({ expected }) => (expected === null ? '' : JSON.stringify(expected)) },
  { title: 'Output', wide: true, cell: ({ output }) => (output === null ? '' : JSON.stringify(output)) },
  { title: 'Scores', width: '9rem', wide: true, cell: ({ scores }) => scoresText(scores) },
  { title: 'From', width: '6rem', wide: true, cell: ({ source }) => <Badge>{source}</Badge> },
  { title: 'Since', width: '13rem', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The examples that evaluations of a function run over: those that were imported, and those from feedback. */
export function DatasetView({ page, head, id }: ViewProps & { readonly id: string }) {
  const { api } = useConsole();
  return (
    <Page {...page}>
      {head}
      <DataList
        label="Examples"
        columns={columns}
        load={(cursor, signal) =>
          api.call('readDataset', { path: { id }, signal, query: { ...(cursor !== undefined && { cursor }) } })
        }
        on={[id]}
        rowKey={(example) => example.id}
        empty={
          <EmptyState title="There are no examples yet">
            <p>
              Feedback on answers becomes examples, and <code>patchbay functions</code> imports others.{' '}
              <code>patchbay eval</code> runs the function over them.
            </p>
          </EmptyState>
        }
      />
    </Page>
  );
}

function scoresText(scores: Example['scores']): string {
  return Object.entries(scores)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
