import { expect, it } from 'vitest';
import { mapInTurns } from './map-in-turns.ts';

it('a long list is mapped in order, with turns for others in between', async () => {
  const items = Array.from({ length: 1_001 }, (_, index) => index);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    pending = setImmediate(count);
  };
  let pending = setImmediate(count);
  expect(await mapInTurns(items, async (item) => 2 * item)).toEqual(items.map((item) => 2 * item));
  clearImmediate(pending);
  expect(turns).toBeGreaterThanOrEqual(4);
});
