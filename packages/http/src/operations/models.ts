import type { App } from '@patchbay/core';
import { bodyOf, defineOperation } from '../operation.ts';
import type { PathParameter } from '../routing.ts';
import { modelJson, modelSummaryJson, pricingJson } from './gateway.ts';

type ExplainBody = Parameters<App['services']['gateway']['explain']>[0];

const modelId: PathParameter = {
  description: 'Id of the model, with its slashes raw or encoded.',
  notFound: 'model_not_found',
};

const read = { area: 'gateway', scope: 'models:read' } as const;

const listModels = defineOperation({
  id: 'listModels',
  method: 'GET',
  path: '/models',
  ...read,
  summary: 'List the models of all providers that are on',
  description:
    'With capabilities, limits and price in USD per 1,000,000 tokens. A price that is not known is absent. Only ' +
    'models that the tenant may use.',
  success: { status: 200, description: 'The models.', schema: 'ModelList' },
  errors: [],
  handle: async ({ context }, { services: { gateway } }) => ({
    json: { data: gateway.models(context).map(modelSummaryJson) },
  }),
});

const getModel = defineOperation({
  id: 'getModel',
  method: 'GET',
  path: '/models/*id',
  ...read,
  summary: 'Read a model with its price',
  description: 'The id is `<provider>/<model_name>`; the name may contain slashes, which need no escaping in the path.',
  params: { id: modelId },
  success: { status: 200, description: 'The model.', schema: 'Model' },
  errors: ['model_not_found', 'provider_not_configured'],
  handle: async ({ params, context }, { services: { gateway } }) => ({
    json: modelJson(gateway.model(params.id, context)),
  }),
});

const explain = defineOperation({
  id: 'explainModels',
  method: 'POST',
  path: '/models/explain',
  ...read,
  summary: 'Explain which model a request would go to',
  description: 'A dry run: no model is asked. Takes the body of a chat request, of which everything may be left out.',
  body: bodyOf<ExplainBody>({ schema: 'ExplainRequest', limitBytes: 4 * 1_048_576, optional: true }),
  success: {
    status: 200,
    description: 'All models, with their place or the reason why they are out.',
    schema: 'Explanation',
  },
  errors: ['model_not_found', 'provider_not_configured'],
  async handle({ body, context }, { services: { gateway } }) {
    const pricing = new Map(gateway.models(context).map((model) => [model.id, pricingJson(model)]));
    const data = await gateway.explain(body, context);
    return { json: { data: data.map((model) => ({ ...model, pricing: pricing.get(model.id) })) } };
  },
});

export const modelOperations = [listModels, explain, getModel];
