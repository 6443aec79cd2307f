import { defineOperation } from '../operation.ts';
import type { DeadLetter, Rerun } from '../service-types.ts';
import { executionSummaryJson, runErrors } from './executions.ts';
import { executionId, functionId, listQuery, pageReply } from './pages.ts';

const listDeadLetters = defineOperation({
  id: 'listDeadLetters',
  method: 'GET',
  path: '/dead-letters',
  area: 'functions',
  scope: 'functions:read',
  summary: 'List dead letters',
  description:
    'Asynchronous executions, and those of schedules, that did not complete in their last run. They are listed until they are run ' +
    'again (`POST /executions/:id/rerun`), removed, or deleted with their execution.',
  query: {
    ...listQuery(['createdAt']),
    functionId: { type: 'string', maxLength: 255, description: 'Only those of this function.' },
  },
  success: { status: 200, description: 'A page of dead letters.', schema: 'DeadLetterPage' },
  errors: ['function_not_found'],
  handle: ({ query: { functionId: of, ...query }, context }, { services: { executions } }) =>
    pageReply(query, (page) => executions.deadLetters.list(of, page, context), deadLetterJson),
});

const rerunDeadLetters = defineOperation({
  id: 'rerunDeadLetters',
  method: 'POST',
  path: '/functions/:id/dead-letters/rerun',
  area: 'functions',
  scope: 'functions:execute',
  limit: 'execute',
  summary: 'Run the dead letters of a function again',
  description:
    'Queues an execution for each dead letter of a page, with its input, of the current version of the function, on behalf of the ' +
    'caller. Each is queued once, however many callers ask at the same time. Repeat the request with `meta.nextCursor` until there is ' +
    'none, to run all of them.',
  params: { id: functionId },
  query: listQuery(['createdAt']),
  success: { status: 202, description: 'The dead letters of the page, and their new executions.', schema: 'RerunPage' },
  errors: ['function_not_found', ...runErrors],
  async handle({ params, query, context }, { services: { executions } }) {
    const reply = await pageReply(query, (page) => executions.deadLetters.rerun(params.id, page, context), rerunJson);
    return { ...reply, status: 202 };
  },
});

const removeDeadLetter = defineOperation({
  id: 'removeDeadLetter',
  method: 'DELETE',
  path: '/dead-letters/:id',
  area: 'functions',
  scope: 'functions:execute',
  summary: 'Remove a dead letter',
  description: 'It is not listed any more. Its execution stays.',
  params: { id: executionId },
  success: { status: 200, description: 'The dead letter is removed.', schema: 'Deletion' },
  errors: ['execution_not_found', 'conflict'],
  async handle({ params: { id }, context }, { services: { executions } }) {
    await executions.deadLetters.remove(id, context);
    return { json: { success: true, message: `dead letter ${id} was removed` } };
  },
});

export const deadLetterOperations = [listDeadLetters, rerunDeadLetters, removeDeadLetter];

function deadLetterJson(row: DeadLetter) {
  return { ...executionSummaryJson(row), error: row.error, attempts: row.attempt ?? 0 };
}

function rerunJson({ id, executionId: made, error }: Rerun) {
  return error ? { id, error: { code: error.code, message: error.message } } : { id, executionId: made };
}
