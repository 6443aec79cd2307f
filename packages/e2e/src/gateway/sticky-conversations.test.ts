import { expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { holdConversations, imbalance, movesOf } from './sticky-conversations.ts';

const [conversations, turns] = isFullSize ? [200, 10] : [24, 6];
/** A few conversations may be spread unevenly by chance. */
const mostUneven = isFullSize ? 1.3 : 2.5;

it('conversations stay on one of three equal deployments, and an outage moves each of them once', async () => {
  const { served, announced, loads, foreignReasoning, ownReasoning } = await holdConversations(conversations, turns);
  expect(served.map((each) => each.length)).toEqual(Array.from({ length: conversations }, () => turns));
  const moves = served.map(movesOf);
  // Those of the deployment that failed, once, and each of them says so.
  expect(moves).toEqual(served.map(([first]) => (first === 'two' ? 1 : 0)));
  expect(announced).toEqual(moves);
  expect(imbalance(loads.before)).toBeLessThanOrEqual(mostUneven);
  expect(imbalance(loads.after)).toBeLessThanOrEqual(mostUneven);
  expect(foreignReasoning).toBe(0);
  expect(ownReasoning).toBeGreaterThan(conversations);
});
