import { expect, it } from 'vitest';
import { chooseOperations } from './choose-operations.ts';
import { operations } from './operations.ts';

it('takes rows and their ids, in the order in which they are asked for', () => {
  const [first] = operations;
  if (!first) throw new Error('the table is empty');
  expect(chooseOperations(['executeFunction', first]).map(({ id }) => id)).toEqual(['executeFunction', first.id]);
});

it('an unknown id is a type error, and suggests the nearest one at run time', () => {
  // @ts-expect-error -- TypeScript refuses it
  const misspelt = () => chooseOperations(['executeFunctions']);
  expect(misspelt).toThrow(/^there is no operation executeFunctions; did you mean "executeFunction"\?$/);
  // @ts-expect-error -- TypeScript refuses it
  expect(() => chooseOperations(['run'])).toThrow(/^there is no operation run; there are .*, executeFunction, /);
});
