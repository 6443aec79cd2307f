import { expect, it } from 'vitest';
import { chooseOperations } from './choose-operations.ts';
import { operations } from './operations.ts';

it('takes rows and their ids, in the order in which they are asked for', () => {
  const [first] = operations;
  if (!first) throw new Error('the table is empty');
  expect(chooseOperations(['executeFunction', first]).map(({ id }) => id)).toEqual(['executeFunction', first.id]);
});

it('names what there is where an id is wrong', () => {
  expect(() => chooseOperations(['executeFunctions'])).toThrow(
    /^there is no operation executeFunctions; there are .*executeFunction, /,
  );
});
