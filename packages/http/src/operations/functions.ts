import { authorize } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import type { FunctionRow } from '@patchbay/core/storage';
import { requiredRevision } from '../input/headers.ts';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { Reply } from '../output/wire.ts';
import type { FunctionInput } from '../service-types.ts';
import { functionId, listQuery, pageReply } from './pages.ts';

type WriteBody = Omit<FunctionInput, 'description' | 'code'> & Partial<Pick<FunctionInput, 'description' | 'code'>>;

/** A bundle of 5 MiB as JSON, where some characters take more bytes. */
export const bundleBodyBytes = 8 * 1_048_576;

const body = bodyOf<WriteBody>({
  schema: 'FunctionInput',
  limitBytes: 1_048_576,
  larger: { member: ['bundle'], limitBytes: bundleBodyBytes },
  ignored: ['id', 'packages', 'createdAt', 'updatedAt'],
});

function functionInput(
  { name, description = '', input, output, code = '', bundle, settings }: WriteBody,
  caller: Principal,
): FunctionInput {
  // Otherwise callers who may write functions could do what `PUT /functions/:id/settings` refuses.
  if (settings) authorize(caller, 'settings:write');
  return { name, description, input, output, code, ...(bundle && { bundle }), ...(settings && { settings }) };
}

const settingsNeed = 'With `settings`, the caller needs the scope `settings:write` as well.';

const view = viewOf('Function');
const viewSummary = viewOf('FunctionSummary');

export function functionReply(row: FunctionRow): Reply {
  return { json: view(withPackages(row)), revision: row.revision };
}

/** Packages are shown only if there is a bundle. */
export function withPackages(row: { readonly packages: unknown }): object {
  return { ...row, packages: row.packages ?? undefined };
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
    pageReply(query, (page) => app.services.functions.list(page, context), viewSummary),
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
  handle: async ({ params, context }, app) => functionReply(await app.services.functions.get(params.id, context)),
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
