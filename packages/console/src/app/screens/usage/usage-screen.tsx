import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { BudgetTable } from './budget-table.tsx';
import { readPeriod, UsageFilters } from './usage-filters.tsx';
import { UsageReport } from './usage-report.tsx';

/** What was used, and what is left of budgets. */
export default function UsageScreen({ path: [view], query }: ScreenProps) {
  const { router } = useConsole();
  const isBudgets = view === 'budgets';
  const period = readPeriod(query);
  return (
    <Page
      title="Usage and budgets"
      actions={!isBudgets && <UsageFilters period={period} onChange={(next) => router.filter({ ...query, ...next })} />}
    >
      <Tabs
        label="Views"
        tabs={[
          { title: 'Usage', href: linkTo(['usage']), current: !isBudgets },
          { title: 'Budgets', href: linkTo(['usage', 'budgets']), current: isBudgets },
        ]}
      />
      {isBudgets ? <BudgetTable /> : <UsageReport period={period} />}
    </Page>
  );
}
