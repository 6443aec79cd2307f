import { requiredRevision } from '../input/headers.ts';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { Reply } from '../output/wire.ts';
import type { PathParameter } from '../routing.ts';
import type { SettingsService } from '../service-types.ts';
import { functionId, listQuery, pageReply } from './pages.ts';

const labelPattern = /^[a-z][a-z0-9-]{0,39}$/;
const labelParameter: PathParameter = {
  description: 'Name that stands for a version: small letters, digits and hyphens.',
  pattern: labelPattern,
  notFound: 'settings_not_found',
};
const versionParameter: PathParameter = {
  description: 'Number of the version, from 1.',
  pattern: /^[1-9]\d{0,8}$/,
  notFound: 'settings_not_found',
};
const base = { area: 'functions', params: { id: functionId } } as const;
const success = { status: 200, schema: 'StoredSettings', headers: ['ETag'] } as const;

type FunctionSettings = Stored['values'];

function settingsReply(stored: Stored): Reply {
  const { functionId, values, version, label, updatedAt, updatedBy, revision } = stored;
  return { json: { functionId, ...values, version, label, updatedAt, updatedBy }, revision };
}

const getSettings = defineOperation({
  ...base,
  id: 'getFunctionSettings',
  method: 'GET',
  path: '/functions/:id/settings',
  scope: 'settings:read',
  summary: 'Read the settings of a function',
  description: 'Those that calls go by. What the config of the server adds is shown by `explain`.',
  success: { ...success, description: 'The settings.' },
  errors: ['function_not_found', 'settings_not_found'],
  handle: async ({ params, context }, { services: { settings } }) =>
    settingsReply(await settings.get(params.id, undefined, context)),
});

const putSettings = defineOperation({
  ...base,
  id: 'replaceFunctionSettings',
  method: 'PUT',
  path: '/functions/:id/settings',
  scope: 'settings:write',
  summary: 'Replace the settings of a function',
  description:
    'Writes a new version and points the label to it, by default the one that calls use. The versions before are kept.',
  preconditions: ['If-Match'],
  query: {
    label: {
      type: 'string',
      pattern: labelPattern,
      description: 'Label that points to the new version. Default: the one that calls use.',
    },
  },
  body: bodyOf<FunctionSettings>({
    schema: 'FunctionSettings',
    limitBytes: 1_048_576,
    ignored: ['functionId', 'version', 'label', 'updatedAt', 'updatedBy'],
  }),
  success: { ...success, description: 'The settings as they are now.' },
  errors: ['function_not_found', 'precondition_failed', 'conflict'],
  async handle({ params, body, context, header, query: { label } }, { services: { settings } }) {
    const { id } = params;
    const ifRevision = await requiredRevision(header, () => settings.get(id, undefined, context));
    const options = { ...(ifRevision !== undefined && { ifRevision }), ...(label !== undefined && { label }) };
    return settingsReply(await settings.put(id, body, options, context));
  },
});

const deleteSettings = defineOperation({
  ...base,
  id: 'deleteFunctionSettings',
  method: 'DELETE',
  path: '/functions/:id/settings',
  scope: 'settings:write',
  summary: 'Delete the settings of a function',
  description: 'With all their versions. A function without code keeps its settings: nothing else implements it.',
  preconditions: ['If-Match'],
  success: { status: 200, description: 'The settings are gone.', schema: 'Deletion' },
  errors: ['function_not_found', 'settings_not_found', 'precondition_failed', 'conflict'],
  async handle({ params, context, header }, { services: { settings } }) {
    const { id } = params;
    const ifRevision = await requiredRevision(header, () => settings.get(id, undefined, context));
    await settings.delete(id, context, ifRevision);
    return { json: { success: true, message: `the settings of function ${id} were deleted` } };
  },
});

const explainSettings = defineOperation({
  ...base,
  id: 'explainFunctionSettings',
  method: 'GET',
  path: '/functions/:id/settings/explain',
  scope: 'settings:read',
  summary: 'Explain what a call of a function would use',
  description: 'Each value with its source: a default, the config of the server, or the stored settings.',
  success: { status: 200, description: 'The values.', schema: 'ExplainedSettings' },
  errors: ['function_not_found'],
  handle: async ({ params, context }, { services: { settings } }) => ({
    json: { data: await settings.explain(params.id, context) },
  }),
});

const viewVersion = viewOf('SettingsVersion');

const listVersions = defineOperation({
  ...base,
  id: 'listSettingsVersions',
  method: 'GET',
  path: '/functions/:id/settings/versions',
  scope: 'settings:read',
  summary: 'List the versions of the settings',
  description: 'Newest first, with the labels that point to each. A version never changes.',
  query: listQuery(['version']),
  success: { status: 200, description: 'A page of versions.', schema: 'SettingsVersionPage' },
  errors: ['function_not_found'],
  handle: ({ params, query, context }, { services: { settings } }) =>
    pageReply(query, (page) => settings.listVersions(params.id, page, context), viewVersion),
});

const getVersion = defineOperation({
  ...base,
  id: 'getSettingsVersion',
  method: 'GET',
  path: '/functions/:id/settings/versions/:version',
  params: { id: functionId, version: versionParameter },
  scope: 'settings:read',
  summary: 'Read a version of the settings',
  description: 'The settings as that version stored them, also after newer versions were written.',
  success: { ...success, description: 'The settings as they were.' },
  errors: ['function_not_found', 'settings_not_found'],
  async handle({ params, context }, { services: { settings } }) {
    const choice = { version: Number(params.version) };
    return settingsReply(await settings.get(params.id, choice, context));
  },
});

const getLabel = defineOperation({
  ...base,
  id: 'getSettingsLabel',
  method: 'GET',
  path: '/functions/:id/settings/labels/:label',
  params: { id: functionId, label: labelParameter },
  scope: 'settings:read',
  summary: 'Read the settings that a label stands for',
  description:
    'The version that a label such as `production` points to. Moving the label changes which settings calls use.',
  success: { ...success, description: 'The settings.' },
  errors: ['function_not_found', 'settings_not_found'],
  async handle({ params, context }, { services: { settings } }) {
    const choice = { label: params.label };
    return settingsReply(await settings.get(params.id, choice, context));
  },
});

const moveLabel = defineOperation({
  ...base,
  id: 'moveSettingsLabel',
  method: 'PUT',
  path: '/functions/:id/settings/labels/:label',
  params: { id: functionId, label: labelParameter },
  scope: 'settings:write',
  summary: 'Let a label stand for another version',
  description: 'Moving `production` to an older version is a rollback: the next call goes by it.',
  preconditions: ['If-Match'],
  body: bodyOf<{ readonly version: number }>({ schema: 'LabelMove', limitBytes: 1_024 }),
  success: { ...success, description: 'The settings that the label stands for now.' },
  errors: ['function_not_found', 'settings_not_found', 'precondition_failed', 'conflict'],
  async handle({ params, body, context, header }, { services: { settings } }) {
    const { id, label } = params;
    const ifRevision = await requiredRevision(header, () => settings.get(id, { version: body.version }, context));
    return settingsReply(await settings.moveLabel(id, label, body.version, context, ifRevision));
  },
});

export const settingsOperations = [
  getSettings,
  putSettings,
  deleteSettings,
  explainSettings,
  listVersions,
  getVersion,
  getLabel,
  moveLabel,
];

type Stored = Awaited<ReturnType<SettingsService['get']>>;
