import { executionView, testView } from '@patchbay/core';
import type { JsonObject, RequestContext } from '@patchbay/core/plugin';
import { executionStatuses } from '@patchbay/core/storage';
import { prefers } from '../input/headers.ts';
import { bodyOf, defineOperation } from '../operation.ts';
import { eventStream, eventStreamType, type StreamEvent } from '../output/wire.ts';
import type { ExecutionSummary, TestEvent, TestedFunction } from '../service-types.ts';
import { functionErrors } from './function-errors.ts';
import { bundleBodyBytes } from './functions.ts';
import { modelErrors } from './gateway.ts';
import { executionId, functionId, listQuery, pageReply } from './pages.ts';

const read = { area: 'functions', scope: 'functions:read' } as const;

/** Error codes of operations that run a function. */
export const runErrors = ['input_invalid', ...functionErrors, ...modelErrors] as const;

type ExecuteBody = { readonly input: JsonObject } & Pick<RequestContext, 'trial'>;

const executeFunction = defineOperation({
  id: 'executeFunction',
  method: 'POST',
  path: '/functions/:id/execute',
  area: 'functions',
  scope: 'functions:execute',
  limit: 'execute',
  summary: 'Execute a function',
  description:
    'Runs the function once and waits for it. A run that does not complete is answered with 422, and with the whole ' +
    'execution in the member `execution` of the problem document. With `Prefer: respond-async` the input is checked, ' +
    'and the execution is answered while it waits: it runs later, whether the server is restarted or not. With `trial`, a ' +
    'function without code runs with a model and a version of its settings that the caller chooses.',
  params: { id: functionId },
  headers: { Prefer: '`respond-async`: do not wait for the function (RFC 7240).' },
  body: bodyOf<ExecuteBody>({ schema: 'ExecuteRequest', limitBytes: 1_048_576 }),
  success: {
    status: 200,
    description: 'The completed execution.',
    schema: 'Execution',
    headers: ['Location', 'Patchbay-Call', 'Preference-Applied'],
    otherwise: { 202: 'The execution, which waits. `Location` is where to read what becomes of it.' },
  },
  errors: ['function_not_found', 'settings_not_found', 'execution_cancelled', ...runErrors],
  async handle({ params, body, context: given, header }, { services: { executions } }) {
    const { id } = params;
    const context = body.trial ? { ...given, trial: body.trial } : given;
    if (!prefers(header('prefer'), 'respond-async')) {
      const done = await executions.execute(id, body.input, context);
      return { json: executionView(done), headers: { 'Patchbay-Call': done.id } };
    }
    const row = await executions.enqueue(id, body.input, context);
    return {
      status: 202,
      json: executionView(row),
      location: `/executions/${row.id}`,
      headers: { 'Patchbay-Call': row.id, 'Preference-Applied': 'respond-async' },
    };
  },
});

const testFunction = defineOperation({
  id: 'testFunction',
  method: 'POST',
  path: '/functions/test',
  area: 'functions',
  scope: 'functions:write',
  // It runs code that was never stored, so the caller needs both scopes.
  alsoNeeds: ['functions:execute'],
  limit: 'execute',
  summary: 'Run a function without storing it',
  description:
    'Checks the function as creating it does, runs it once, and stores neither. Faults of the function are reported ' +
    'below `/function`; a run that does not complete is answered as that of a stored function is.',
  body: bodyOf<{ readonly function: TestedFunction; readonly input: JsonObject; readonly stream?: boolean }>({
    schema: 'TestRequest',
    limitBytes: 1_048_576,
    larger: { member: ['function', 'bundle'], limitBytes: bundleBodyBytes },
  }),
  success: {
    status: 200,
    description: 'The completed run.',
    schema: 'TestResult',
    streams:
      '`start` with the first of the following; `log` for each line that the code logs; `delta` with each `output` that a ' +
      'generator yields; `done` with the whole run. A failure after the start is an `error` event with the problem document.',
  },
  errors: ['schema_invalid', 'code_invalid', ...runErrors],
  async handle({ body: { function: tested, input, stream }, context }, { services: { executions } }) {
    if (!stream) return { json: testView(await executions.test(tested, input, context)) };
    const events = await executions.streamTest(tested, input, context);
    return { stream: eventStream({ event: 'start', data: {} }, events, testEvent), mediaType: eventStreamType };
  },
});

function testEvent(event: TestEvent): StreamEvent | undefined {
  if ('log' in event) return { event: 'log', data: event.log };
  if ('partial' in event) return { event: 'delta', data: { output: event.partial } };
  return 'done' in event ? { event: 'done', data: testView(event.done.run) } : undefined;
}

const runProgram = defineOperation({
  id: 'runProgram',
  method: 'POST',
  path: '/executions',
  area: 'functions',
  scope: 'code:run',
  limit: 'execute',
  summary: 'Run a program that calls functions',
  description:
    'Runs TypeScript once: the body of an async function, in which `functions` has every function of the tenant as a ' +
    'method, and `log` writes to the logs. It is checked against the types of the functions first. What it calls, it ' +
    'calls on behalf of the caller, who needs `functions:execute` for that. A run that does not complete is answered ' +
    'with 422, and with the whole execution in the member `execution` of the problem document.',
  body: bodyOf<{ readonly code: string }>({ schema: 'ProgramRequest', limitBytes: 1_048_576 }),
  success: {
    status: 200,
    description: 'The completed execution of the program.',
    schema: 'Execution',
    headers: ['Patchbay-Call'],
  },
  errors: ['code_invalid', 'execution_cancelled', ...runErrors],
  async handle({ body, context }, { services: { codeMode } }) {
    const done = await codeMode.run(body.code, context);
    return { json: executionView(done), headers: { 'Patchbay-Call': done.id } };
  },
});

const getExecution = defineOperation({
  id: 'getExecution',
  method: 'GET',
  path: '/executions/:id',
  ...read,
  summary: 'Read an execution',
  description: 'Executions outlive their function.',
  params: { id: executionId },
  success: { status: 200, description: 'The execution.', schema: 'Execution' },
  errors: ['execution_not_found'],
  async handle({ params, context }, app) {
    return { json: executionView(await app.services.executions.get(params.id, context)) };
  },
});

const cancelExecution = defineOperation({
  id: 'cancelExecution',
  method: 'DELETE',
  path: '/executions/:id',
  area: 'functions',
  scope: 'functions:execute',
  summary: 'Cancel an execution',
  description:
    'A queued execution never runs. A running one is killed before the response. One that was ' +
    'cancelled before is answered as it is; one that has ended in another way cannot be cancelled any more: 409.',
  params: { id: executionId },
  success: { status: 200, description: 'The cancelled execution.', schema: 'Execution' },
  errors: ['execution_not_found', 'conflict'],
  async handle({ params, context }, app) {
    return { json: executionView(await app.services.executions.cancel(params.id, context)) };
  },
});

const listExecutions = defineOperation({
  id: 'listExecutions',
  method: 'GET',
  path: '/executions',
  ...read,
  summary: 'List executions',
  description: 'Those of all functions, without documents and logs: these are read one by one.',
  query: {
    ...listQuery(['createdAt']),
    status: {
      type: 'string',
      enum: executionStatuses,
      description: 'Only executions with this status.',
    },
  },
  success: { status: 200, description: 'A page of executions.', schema: 'ExecutionPage' },
  errors: [],
  handle: ({ query: { status, ...query }, context }, { services: { executions } }) =>
    pageReply(query, (page) => executions.list(status, page, context), executionSummaryJson),
});

const rerunExecution = defineOperation({
  id: 'rerunExecution',
  method: 'POST',
  path: '/executions/:id/rerun',
  area: 'functions',
  scope: 'functions:execute',
  limit: 'execute',
  summary: 'Run again what has ended',
  description:
    'Queues another execution with the same input, of the current version of the function, on behalf of the caller. The one ' +
    'that has ended stays as it is.',
  params: { id: executionId },
  success: { status: 202, description: 'The new execution, which waits.', schema: 'Execution', headers: ['Location'] },
  errors: ['execution_not_found', 'function_not_found', 'conflict', ...runErrors],
  async handle({ params, context }, { services: { executions } }) {
    const row = await executions.rerun(params.id, context);
    return { json: executionView(row), location: `/executions/${row.id}` };
  },
});

const listFunctionExecutions = defineOperation({
  id: 'listFunctionExecutions',
  method: 'GET',
  path: '/functions/:id/executions',
  ...read,
  summary: 'List the executions of a function',
  description: 'Without documents and logs: these are read one by one.',
  params: { id: functionId },
  query: listQuery(['createdAt']),
  success: { status: 200, description: 'A page of executions.', schema: 'ExecutionPage' },
  errors: ['function_not_found'],
  handle: ({ params, query, context }, app) =>
    pageReply(query, (page) => app.services.executions.listForFunction(params.id, page, context), executionSummaryJson),
});

export const executionOperations = [
  executeFunction,
  testFunction,
  runProgram,
  listExecutions,
  getExecution,
  cancelExecution,
  rerunExecution,
  listFunctionExecutions,
];

/** A list entry. */
export function executionSummaryJson(row: ExecutionSummary) {
  return {
    id: row.id,
    functionId: row.functionId,
    status: row.status,
    createdAt: row.createdAt,
    completedAt: row.completedAt ?? undefined,
    functionVersion: row.functionVersion,
    durationMs: row.durationMs ?? undefined,
    scheduleId: row.scheduleId ?? undefined,
    scheduledFor: row.scheduledFor ?? undefined,
  };
}
