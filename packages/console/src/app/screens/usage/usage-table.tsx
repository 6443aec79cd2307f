import type { Usage } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { figureOf, tokensOf, usd } from './figures.ts';
import { type Grouping, groupings, type Measure } from './usage-filters.tsx';
import { useNames } from './use-names.ts';

type Group = Usage['data'][number];

interface UsageTableProps {
  readonly usage: Usage;
  readonly groupBy: Grouping;
  /** The largest of these first. */
  readonly measure: Measure;
}

/** The sums of each model, function, key or provider. */
export function UsageTable({ usage, groupBy, measure }: UsageTableProps) {
  const { api } = useConsole();
  const rows = usage.data.toSorted((one, other) => figureOf(other, measure) - figureOf(one, measure));
  const names = useNames(groupBy);
  const number = { number: true, width: '8rem' } as const;
  const columns: readonly Column<Group>[] = [
    {
      title: groupings[groupBy],
      cell: ({ group }) => (group === '' ? <span class="quiet">none</span> : (names.get(group) ?? group)),
    },
    { ...number, title: 'Cost', cell: ({ cost }) => cost && usd(cost.amount) },
    { ...number, title: 'Model calls', wide: true, cell: ({ modelCalls }) => modelCalls.toLocaleString() },
    { ...number, title: 'Executions', wide: true, cell: ({ executions }) => executions.toLocaleString() },
    { ...number, title: 'Tokens', wide: true, cell: (group) => tokensOf(group).toLocaleString() },
    { ...number, title: 'Failures', wide: true, cell: ({ failures }) => failures.toLocaleString() },
  ];
  const canRead = {
    model: api.may('getModel'),
    function: api.may('getFunction'),
    key: api.may('getKey'),
    provider: false,
  };
  const href = ({ group }: Group): string =>
    group === '' ? linkTo(['usage']) : linkTo([`${groupBy}s`, ...group.split('/')]);
  return (
    <DataList
      label={`Usage by ${groupings[groupBy].toLowerCase()}`}
      columns={columns}
      load={async () => ({ data: rows })}
      on={[usage, measure]}
      rowKey={({ group }) => group}
      {...(canRead[groupBy] && { href })}
      empty={null}
    />
  );
}
