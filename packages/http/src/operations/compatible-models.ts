import { modelEntry, modelList } from '@patchbay/compat/models';
import { defineOperation } from '../operation.ts';
import { anthropicFormat, betaQuery } from './anthropic.ts';
import { openaiFormat } from './openai.ts';

const read = {
  method: 'GET',
  area: 'gateway',
  scope: 'models:read',
  formats: [openaiFormat, anthropicFormat],
} as const;

const cursor = {
  type: 'string',
  maxLength: 255,
  description: 'Accepted without effect: all models are on one page.',
} as const;

const listCompatibleModels = defineOperation({
  ...read,
  id: 'listCompatibleModels',
  path: '/v1/models',
  summary: "List the models in the format of OpenAI's and Anthropic's APIs",
  description:
    'One list for the clients of both: each finds its own members, and skips the others. It has the models that the tenant ' +
    'may use, `auto`, and the aliases of the config for these models; functions are not listed. With `anthropic-version`, failures have the format of Anthropic, else that of OpenAI.',
  query: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 1_000,
      description: 'Accepted without effect: all models are on one page.',
    },
    after_id: cursor,
    before_id: cursor,
    beta: betaQuery,
  },
  success: { status: 200, description: 'The models.', schema: 'CompatibleModelList' },
  errors: [],
  handle: async ({ context }, { services: { gateway } }) => ({
    json: modelList(gateway.models(context), gateway.aliases()),
  }),
});

const getCompatibleModel = defineOperation({
  ...read,
  id: 'getCompatibleModel',
  path: '/v1/models/*id',
  summary: "Read a model in the format of OpenAI's and Anthropic's APIs",
  description:
    'The id is that of the list, an alias, or a name that one provider has; its slashes need no escaping in the path.',
  params: { id: { description: 'Id of the model, with its slashes raw or encoded.', notFound: 'model_not_found' } },
  query: { beta: betaQuery },
  success: { status: 200, description: 'The model.', schema: 'CompatibleModel' },
  errors: ['model_not_found'],
  handle: async ({ params, context }, { services: { gateway } }) => ({
    json: modelEntry(params.id, gateway.models(context), gateway.aliases()),
  }),
});

export const compatibleModelOperations = [listCompatibleModels, getCompatibleModel];
