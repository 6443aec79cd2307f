import { functionSettingsSchema } from './function-settings-schema.ts';
import { pageOf, timestamp } from './page-schema.ts';

const id = { type: 'string', description: 'Opaque; assigned by the service.' } as const;
const version = { type: 'integer', minimum: 1, description: 'Counts up with every change of the settings.' } as const;
const by = { type: 'string', description: 'Who wrote it.' } as const;
const { description, properties } = functionSettingsSchema;

export const settingsSchemas = {
  FunctionSettings: functionSettingsSchema,
  StoredSettings: {
    type: 'object',
    description,
    properties: {
      functionId: id,
      ...properties,
      version,
      label: { type: 'string', description: 'By which the version was found.' },
      updatedAt: timestamp,
      updatedBy: by,
    },
    required: ['functionId', 'version', 'updatedAt', 'updatedBy'],
  },
  SettingsVersion: {
    type: 'object',
    properties: {
      functionId: id,
      version,
      labels: { type: 'array', items: { type: 'string' }, description: 'What stands for this version.' },
      createdAt: timestamp,
      createdBy: by,
    },
    required: ['functionId', 'version', 'labels', 'createdAt', 'createdBy'],
  },
  SettingsVersionPage: pageOf('SettingsVersion'),
  LabelMove: {
    type: 'object',
    properties: { version },
    required: ['version'],
    additionalProperties: false,
  },
  ExplainedSettings: {
    type: 'object',
    properties: {
      data: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            value: { description: 'What a call would use.' },
            source: { type: 'string', description: '`default`, `config <pattern>` or `stored <label> (version <n>)`.' },
          },
          required: ['name', 'value', 'source'],
        },
      },
    },
    required: ['data'],
  },
} as const;
