import { gatewayRequestSchemas } from '@patchbay/core';
import { opaqueId as id, pageOf, responseObject, timestamp } from './schema-object.ts';

const { prompt: _prompt, model, routing, ...sampling } = gatewayRequestSchemas.GenerateRequest.properties;

const text = { type: 'string', maxLength: 100_000 } as const;

/** The settings of a function. */
const functionSettingsSchema = {
  type: 'object',
  description: 'What a function asks of models. All of it may be left out.',
  properties: {
    model,
    routing,
    system: { ...text, description: 'The system prompt.' },
    prompt: {
      ...text,
      description:
        'What the model is asked. `{{input}}` is the whole input as JSON, `{{input.text}}` a member of it, `{{name}}` ' +
        'and `{{description}}` are those of the function. Default: the input as JSON.',
    },
    ...sampling,
    examples: {
      type: 'array',
      maxItems: 20,
      description: 'Inputs with their right outputs, shown to the model before the question.',
      items: {
        type: 'object',
        properties: { input: { type: 'object' }, output: { type: 'object' } },
        required: ['input', 'output'],
        additionalProperties: false,
      },
    },
    repairs: {
      type: 'integer',
      minimum: 0,
      maximum: 5,
      description: 'How often a model is shown what is wrong with its answer. Default 2.',
    },
    cacheSeconds: {
      type: 'integer',
      minimum: 0,
      maximum: 2_592_000,
      description: 'For how long an equal call is answered again without a model. Default 0: never.',
    },
  },
  additionalProperties: false,
} as const;

const version = { type: 'integer', minimum: 1, description: 'Counts up with every change of the settings.' } as const;
const by = { type: 'string', description: 'Who wrote it.' } as const;
const { description, properties } = functionSettingsSchema;

export const settingsSchemas = {
  FunctionSettings: functionSettingsSchema,
  StoredSettings: responseObject(
    {
      functionId: id,
      ...properties,
      version,
      label: { type: 'string', description: 'By which the version was found.' },
      updatedAt: timestamp,
      updatedBy: by,
    },
    { description, optional: [...Object.keys(properties), 'label'] },
  ),
  SettingsVersion: responseObject({
    functionId: id,
    version,
    labels: { type: 'array', items: { type: 'string' }, description: 'What stands for this version.' },
    createdAt: timestamp,
    createdBy: by,
  }),
  SettingsVersionPage: pageOf('SettingsVersion'),
  LabelMove: {
    type: 'object',
    properties: { version },
    required: ['version'],
    additionalProperties: false,
  },
  ExplainedSettings: responseObject({
    data: {
      type: 'array',
      items: responseObject({
        name: { type: 'string' },
        value: { description: 'What a call would use.' },
        source: { type: 'string', description: '`default`, `config <pattern>` or `stored <label> (version <n>)`.' },
      }),
    },
  }),
} as const;
