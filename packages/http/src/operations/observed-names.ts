import { defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { PathParameter } from '../routing.ts';
import { functionReply } from './functions.ts';
import { listQuery, pageReply } from './pages.ts';

const observedNameId: PathParameter = {
  description: 'Id of the observed name.',
  notFound: 'observed_name_not_found',
};

const view = viewOf('ObservedName');

const listObservedNames = defineOperation({
  id: 'listObservedNames',
  method: 'GET',
  path: '/observed-names',
  area: 'functions',
  scope: 'functions:read',
  summary: 'List names that were called although no function has them',
  description:
    'With the members of their inputs and the types of these, never with values. The 1,000 names that were called last ' +
    'are kept. Other servers on the same storage tell of theirs within seconds.',
  query: listQuery(['lastSeenAt', 'count'], 'Field to sort by; ties are broken by id.'),
  success: { status: 200, description: 'A page of names.', schema: 'ObservedNamePage' },
  errors: [],
  handle: ({ query, context }, { services: { observedNames } }) =>
    pageReply(query, (page) => observedNames.list(page, context), view),
});

const deleteObservedName = defineOperation({
  id: 'deleteObservedName',
  method: 'DELETE',
  path: '/observed-names/:id',
  area: 'functions',
  scope: 'functions:write',
  summary: 'Forget an observed name',
  description: 'Until it is called again.',
  params: { id: observedNameId },
  success: { status: 200, description: 'The name is forgotten.', schema: 'Deletion' },
  errors: ['observed_name_not_found'],
  async handle({ params, context }, { services: { observedNames } }) {
    const { id } = params;
    await observedNames.delete(id, context);
    return { json: { success: true, message: `observed name ${id} was deleted` } };
  },
});

const promoteObservedName = defineOperation({
  id: 'promoteObservedName',
  method: 'POST',
  path: '/observed-names/:id/promote',
  area: 'functions',
  scope: 'functions:write',
  alsoNeeds: ['settings:write'],
  summary: 'Store a function of an observed name',
  description:
    'Without code, so that a model does its work, with empty settings. The input schema has the members that were ' +
    'observed, and requires those that every call had; the output is what was declared last, or `{ result: string }`.',
  params: { id: observedNameId },
  success: { status: 201, description: 'The new function.', schema: 'Function', headers: ['ETag', 'Location'] },
  errors: ['observed_name_not_found', 'ambiguous_function_name', 'schema_invalid', 'conflict'],
  async handle({ params, context }, { services: { observedNames } }) {
    const row = await observedNames.promote(params.id, context);
    return { ...functionReply(row), location: `/functions/${row.id}` };
  },
});

export const observedNameOperations = [listObservedNames, deleteObservedName, promoteObservedName];
