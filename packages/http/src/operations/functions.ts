import { authorize } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import type { FunctionRow, FunctionVersionRow } from '@patchbay/core/storage';
import { entityTag, isNotModified, requiredRevision } from '../input/headers.ts';
import { bodyOf, defineOperation } from '../operation.ts';
import type { Reply } from '../output/wire.ts';
import type { FunctionInput, FunctionSummary } from '../service-types.ts';
import { functionId, listQuery, pageReply } from './pages.ts';

type WriteBody = Omit<FunctionInput, 'description' | 'code'> & Partial<Pick<FunctionInput, 'description' | 'code'>>;

const body = bodyOf<WriteBody>({
  schema: 'FunctionInput',
  limitBytes: 1_048_576,
  ignored: ['id', 'createdAt', 'updatedAt'],
});

function functionInput(
  { name, description = '', input, output, code = '', settings }: WriteBody,
  caller: Principal,
): FunctionInput {
  // Otherwise callers who may write functions could do what `PUT /functions/:id/settings` refuses.
  if (settings) authorize(caller, 'settings:write');
  return { name, description, input, output, code, ...(settings ? { settings } : {}) };
}

const settingsNeed = 'With `settings`, the caller needs the scope `settings:write` as well.';

export function functionReply(row: FunctionRow): Reply {
  return { json: functionJson(row), headers: { ETag: entityTag(row.revision) } };
}

const write = { area: 'functions', scope: 'functions:write' } as const;

const listFunctions = defineOperation({
  id: 'listFunctions',
  method: 'GET',
  path: '/functions',
  area: 'functions',
  scope: 'functions:read',
  summary: 'List functions',
  description: 'The functions of the caller, without schemas and code.',
  query: listQuery(['createdAt', 'updatedAt', 'name'], 'Field to sort by; ties are broken by id.'),
  success: { status: 200, description: 'A page of functions.', schema: 'FunctionPage' },
  errors: [],
  handle: ({ query, context }, app) =>
    pageReply(query, (page) => app.services.functions.list(page, context), functionSummaryJson),
});

const getFunction = defineOperation({
  id: 'getFunction',
  method: 'GET',
  path: '/functions/:id',
  area: 'functions',
  scope: 'functions:read',
  summary: 'Read a function',
  description:
    'The newest version with its schemas and code. The `ETag` of the response goes into `If-Match` of a later ' +
    'replacement, so that no concurrent change is overwritten.',
  params: { id: functionId },
  preconditions: ['If-None-Match'],
  success: { status: 200, description: 'The function.', schema: 'Function', headers: ['ETag'] },
  errors: ['function_not_found'],
  async handle({ params, context, header }, app) {
    const row = await app.services.functions.get(params.id, context);
    if (!isNotModified(header, row.revision)) return functionReply(row);
    return { status: 304, empty: true, headers: { ETag: entityTag(row.revision) } };
  },
});

const createFunction = defineOperation({
  id: 'createFunction',
  method: 'POST',
  path: '/functions',
  ...write,
  summary: 'Create a function',
  description: settingsNeed,
  body,
  success: { status: 201, description: 'The new function.', schema: 'Function', headers: ['ETag', 'Location'] },
  errors: ['schema_invalid', 'code_invalid', 'executor_unavailable', 'overloaded'],
  async handle({ body: given, context }, app) {
    const row = await app.services.functions.create(functionInput(given, context.caller), context);
    return { ...functionReply(row), location: `/functions/${row.id}` };
  },
});

const replaceFunction = defineOperation({
  id: 'replaceFunction',
  method: 'PUT',
  path: '/functions/:id',
  ...write,
  summary: 'Replace a function',
  description: `A full replacement: what is left out gets its default. The version before is kept. ${settingsNeed}`,
  params: { id: functionId },
  preconditions: ['If-Match'],
  body,
  success: { status: 200, description: 'The function as it is now.', schema: 'Function', headers: ['ETag'] },
  errors: [
    'function_not_found',
    'schema_invalid',
    'code_invalid',
    'precondition_failed',
    'conflict',
    'executor_unavailable',
    'overloaded',
  ],
  async handle({ params, body: given, context, header }, app) {
    const { id } = params;
    const revision = await requiredRevision(header, () => app.services.functions.get(id, context));
    return functionReply(
      await app.services.functions.replace(id, functionInput(given, context.caller), context, revision),
    );
  },
});

const deleteFunction = defineOperation({
  id: 'deleteFunction',
  method: 'DELETE',
  path: '/functions/:id',
  ...write,
  summary: 'Delete a function',
  description: 'The function and its versions are gone for good; its executions stay.',
  params: { id: functionId },
  preconditions: ['If-Match'],
  success: { status: 200, description: 'The function is gone.', schema: 'Deletion' },
  errors: ['function_not_found', 'precondition_failed'],
  async handle({ params, context, header }, app) {
    const { id } = params;
    const revision = await requiredRevision(header, () => app.services.functions.get(id, context));
    await app.services.functions.delete(id, context, revision);
    return { json: { success: true, message: `function ${id} was deleted` } };
  },
});

export const functionOperations = [listFunctions, createFunction, getFunction, replaceFunction, deleteFunction];

/** The eight fields of a function. */
function functionJson(row: FunctionRow) {
  const { id, name, description, input, output, code, createdAt, updatedAt } = row;
  return { id, name, description, input, output, code, createdAt, updatedAt };
}

/** The five fields of a list entry. */
function functionSummaryJson(row: FunctionSummary) {
  const { id, name, description, createdAt, updatedAt } = row;
  return { id, name, description, createdAt, updatedAt };
}

export function versionJson(row: FunctionVersionRow) {
  const { functionId, version, name, description, input, output, code, contentHash, createdAt, createdBy } = row;
  return { functionId, version, name, description, input, output, code, contentHash, createdAt, createdBy };
}

export function versionSummaryJson(row: Omit<FunctionVersionRow, 'input' | 'output' | 'code'>) {
  const { functionId, version, name, description, contentHash, createdAt, createdBy } = row;
  return { functionId, version, name, description, contentHash, createdAt, createdBy };
}
