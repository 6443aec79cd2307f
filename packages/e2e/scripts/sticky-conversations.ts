/**
 * Hold conversations at the same time with three equal deployments, one of which is down for a while:
 *
 *     node --conditions=source packages/e2e/scripts/sticky-conversations.ts [conversations] [turns]
 */
import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { holdConversations, imbalance, movesOf } from '../src/gateway/sticky-conversations.ts';

const scorecard = openScorecard('sticky');

const conversations = countArgument(1, 200);
const turns = countArgument(2, 10);
const start = performance.now();
const { served, announced, loads, foreignReasoning, ownReasoning } = await holdConversations(conversations, turns);
const seconds = Math.round((performance.now() - start) / 1_000);
const moves = served.map(movesOf);
const moved = moves.filter((count) => count > 0).length;
const strayed = served.filter((each, index) => moves[index] !== (each[0] === 'two' ? 1 : 0)).length;
const unsaid = announced.filter((count, index) => count !== moves[index]).length;
const spread = Math.max(imbalance(loads.before), imbalance(loads.after));
console.log(
  JSON.stringify({
    conversations,
    turns,
    moved,
    strayed,
    unsaid,
    loads,
    spread,
    foreignReasoning,
    ownReasoning,
    seconds,
  }),
);
scorecard.record([
  {
    what: 'conversations with three equal deployments, one of which fails for a while: conversations that moved otherwise than once because of it',
    value: strayed,
    target: { exactly: 0 },
    note: `${conversations} conversations of ${turns} turns, ${moved} of them moved, ${seconds} s`,
  },
  { what: 'the same: moves without a warning', value: unsaid, target: { exactly: 0 } },
  { what: 'the same: requests with reasoning of another deployment', value: foreignReasoning, target: { exactly: 0 } },
  {
    what: 'the same: load of the busiest deployment, relative to an even load',
    value: Number(spread.toFixed(2)),
    target: { most: 1.3 },
  },
]);
process.exitCode = strayed === 0 && unsaid === 0 && foreignReasoning === 0 && spread <= 1.3 ? 0 : 1;
