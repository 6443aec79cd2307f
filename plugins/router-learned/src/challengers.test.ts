import { describe, expect, it } from 'vitest';
import { normalProbability } from './challengers.ts';

describe('the probability of a normal variable', () => {
  it.each([
    [-40, 0],
    [-3, 0.00135],
    [-1.96, 0.025],
    [0, 0.5],
    [1, 0.84134],
    [1.645, 0.95],
    [40, 1],
  ])('to be below %d is %d', (value, expected) => {
    expect(Math.abs(normalProbability(value) - expected)).toBeLessThan(0.0002);
  });
});
