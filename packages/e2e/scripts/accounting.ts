/**
 * Spend strict budgets with many clients at the same time, and let two processes add to the same totals while they are
 * replaced, and compare what the server counts with what the vendor is owed:
 *
 *     node --conditions=source packages/e2e/scripts/accounting.ts [calls] [seed]
 */
import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { countAtOnce } from '../src/accounting/count-at-once.ts';
import { spendAtOnce } from '../src/accounting/spend-at-once.ts';

const scorecard = openScorecard('accounting');

const calls = countArgument(1, 20_000);
const seed = countArgument(2, Date.now() % 1_000_000);
const replacements = Math.ceil(calls / 5_000);
const spending = await spendAtOnce({ seed, calls, keys: 8, clients: 16 });
console.log(`seed ${seed}: ${JSON.stringify(spending)}`);
const counting = await countAtOnce({ seed, calls, clients: 16, replacements });
console.log(`seed ${seed}: ${JSON.stringify(counting)}`);
scorecard.record([
  {
    what: '16 clients of each of 8 keys with strict budgets, chats, streams and forwarded requests, until nothing more is let through: budgets overspent, calls refused while enough was left, sums that differ from those of the vendor',
    value: spending.faults.length,
    target: { exactly: 0 },
    note: `${spending.answered} calls answered, ${spending.refused} refused, ${(spending.spent * 100).toFixed(1)} % of the budgets spent; seed ${seed}`,
  },
  {
    what: '16 clients of one model through two processes, which are replaced meanwhile: calls that failed, or are not counted once and at their price, in the usage, in the entries, in their totals or in the records of calls',
    value: counting.faults.length,
    target: { exactly: 0 },
    note: `${counting.answered} calls answered, both processes replaced ${replacements} times`,
  },
]);
process.exitCode = spending.faults.length + counting.faults.length === 0 ? 0 : 1;
