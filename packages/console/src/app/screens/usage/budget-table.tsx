import type { Budgets } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Time } from '../../parts/time.tsx';
import { usd } from './figures.ts';

type Budget = Budgets['data'][number];

/** Every budget with what is left of it, those that run out soonest first. */
export function BudgetTable() {
  const { api } = useConsole();
  const { data, error, reload } = useLoad((signal) => api.call('listBudgets', { signal }));
  if (error !== undefined) return <ErrorView error={error} onRetry={reload} />;
  if (!data) return null;
  const { total, enforced } = data.meta;
  if (total === 0) {
    return (
      <EmptyState title="There are no budgets">
        <p>
          A key can get one when it is created; <code>limits</code> in the config has those of all keys and tenants.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      {!enforced && <p>The limits of this server are off: calls go on when a budget is used up.</p>}
      <ul class="budgets">
        {data.data.map((budget) => (
          <BudgetItem key={`${budget.scope} ${budget.id}`} budget={budget} />
        ))}
      </ul>
      {total > data.data.length && <p class="quiet">{total - data.data.length} more, of which less was spent.</p>}
    </>
  );
}

function BudgetItem({ budget }: { readonly budget: Budget }) {
  const { api } = useConsole();
  const { scope, id, name, period, limit, spent, remaining, resetsAt } = budget;
  const share = Number(spent) / Number(limit);
  const title = scope === 'tenant' ? `All of ${id}` : (name ?? id);
  return (
    <li>
      <div class="budget-head">
        {scope === 'key' && api.may('getKey') ? <a href={linkTo(['keys', id])}>{title}</a> : <span>{title}</span>}
        {share >= 1 && <Badge kind="bad">used up</Badge>}
        {share >= 0.8 && share < 1 && <Badge kind="warn">nearly spent</Badge>}
      </div>
      <meter min={0} max={1} high={0.8} value={Math.min(1, share)} aria-label={`Spent of the budget of ${title}`} />
      <p class="quiet">
        {usd(spent)} of {usd(limit)} per {period}, {usd(remaining)} left until <Time at={resetsAt} />
      </p>
    </li>
  );
}
