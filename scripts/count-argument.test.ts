import { afterEach, expect, it } from 'vitest';
import { countArgument } from './count-argument.ts';

const { argv } = process;
afterEach(() => {
  process.argv = argv;
});

const given = (...args: readonly string[]): void => {
  process.argv = ['node', 'script.ts', ...args];
};

it('a count on the command line is read, or has its default', () => {
  given('12');
  expect([countArgument(1, 20), countArgument(2, 7)]).toEqual([12, 7]);
});

it.each(['--help', 'many', '1.5', '-1', ''])('a count on the command line is refused if it is %j', (text) => {
  given(text);
  expect(() => countArgument(1, 20)).toThrow(`argument 1 must be a whole number, not ${text}`);
});
