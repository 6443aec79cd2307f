import { expect, it } from 'vitest';
import { RecentKeys } from './recent-keys.ts';

it('a key is known until it is taken out, or pushed out by later ones', () => {
  const keys = new RecentKeys(2);
  const known = (): readonly string[] => ['a', 'b', 'c'].filter((key) => keys.has(key));
  keys.set('a', true);
  keys.set('b', true);
  expect(known()).toEqual(['a', 'b']);
  keys.set('a', true);
  keys.set('c', true);
  expect(known()).toEqual(['a', 'c']);
  keys.set('c', false);
  expect(known()).toEqual(['a']);
});
