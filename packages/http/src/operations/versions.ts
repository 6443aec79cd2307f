import { requiredRevision } from '../input/headers.ts';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { PathParameter } from '../routing.ts';
import { functionReply, withPackages } from './functions.ts';
import { functionId, listQuery, pageReply } from './pages.ts';

const version: PathParameter = {
  description: 'Number of the version, from 1.',
  pattern: /^[1-9]\d{0,8}$/,
  notFound: 'version_not_found',
};

const view = viewOf('FunctionVersion');
const viewSummary = viewOf('FunctionVersionSummary');

const listVersions = defineOperation({
  id: 'listFunctionVersions',
  method: 'GET',
  path: '/functions/:id/versions',
  area: 'functions',
  scope: 'functions:read',
  summary: 'List the versions of a function',
  description: 'Everything that the function has been, the newest first.',
  params: { id: functionId },
  query: listQuery(['version']),
  success: { status: 200, description: 'A page of versions.', schema: 'FunctionVersionPage' },
  errors: ['function_not_found'],
  handle: ({ params, query, context }, app) =>
    pageReply(
      query,
      (page) => app.services.functions.listVersions(params.id, page, context),
      (row) => viewSummary(withPackages(row)),
    ),
});

const getVersion = defineOperation({
  id: 'getFunctionVersion',
  method: 'GET',
  path: '/functions/:id/versions/:version',
  area: 'functions',
  scope: 'functions:read',
  summary: 'Read a version of a function',
  description: 'The function as that version stored it, with schemas and code.',
  params: { id: functionId, version },
  success: { status: 200, description: 'The version.', schema: 'FunctionVersion' },
  errors: ['function_not_found', 'version_not_found'],
  async handle({ params, context }, app) {
    const row = await app.services.functions.getVersion(params.id, Number(params.version), context);
    return { json: view(withPackages(row)) };
  },
});

const restoreVersion = defineOperation({
  id: 'restoreFunctionVersion',
  method: 'POST',
  path: '/functions/:id/versions/:version/restore',
  area: 'functions',
  scope: 'functions:write',
  summary: 'Restore a version of a function',
  description: 'Makes an old version the newest again, as a new version.',
  params: { id: functionId, version },
  preconditions: ['If-Match'],
  body: bodyOf<object>({ schema: 'Empty', limitBytes: 1_024, optional: true }),
  success: { status: 200, description: 'The function as it is now.', schema: 'Function', headers: ['ETag'] },
  errors: [
    'function_not_found',
    'version_not_found',
    'schema_invalid',
    'code_invalid',
    'precondition_failed',
    'conflict',
    'executor_unavailable',
    'overloaded',
  ],
  async handle({ params, context, header }, app) {
    const { id } = params;
    const revision = await requiredRevision(header, () => app.services.functions.get(id, context));
    return functionReply(await app.services.functions.restore(id, Number(params.version), context, revision));
  },
});

export const versionOperations = [listVersions, getVersion, restoreVersion];
