import { opaqueId as id, nameOf, pageOf, responseObject, timestamp } from './schema-object.ts';

const name = nameOf('Free text for people. Not unique.');
const description = { type: 'string', description: 'What the function is for.' } as const;
const schema = { $ref: '#/components/schemas/Schema' } as const;
const code = {
  type: 'string',
  description:
    'JavaScript or TypeScript with one function: `export default`, a named function, a function expression, or `main`.',
} as const;
const contentHash = {
  type: 'string',
  description: 'SHA-256, in hex, of everything that was written. Equal for equal versions.',
} as const;
const version = { type: 'integer', minimum: 1, description: 'Counts up with every change of the function.' } as const;
const createdBy = { type: 'string', description: 'Who wrote the version.' } as const;

export const functionSchemas = {
  Schema: {
    type: 'object',
    description:
      'The part of JSON Schema that describes inputs and outputs. The root is of type object. Beyond the members named ' +
      'here: title, const, format, pattern (RE2), the bounds of lengths, numbers and items, additionalProperties, anyOf.',
    properties: {
      type: { description: 'object, array, string, number, integer, boolean, null, or a list of these.' },
      properties: {
        type: 'object',
        additionalProperties: { $ref: '#/components/schemas/Schema' },
        description: 'Schema of each property.',
      },
      required: { type: 'array', items: { type: 'string' }, description: 'Names of the required properties.' },
      items: { $ref: '#/components/schemas/Schema' },
      description: { type: 'string' },
      default: { description: 'Filled in where the value is left out.' },
      enum: { type: 'array', description: 'The allowed values.' },
    },
  },
  FunctionInput: {
    type: 'object',
    description: 'What a caller writes. Fields that the service owns may be sent back and have no effect.',
    properties: {
      name,
      // A page of a list has 100 of them.
      description: { ...description, maxLength: 10_000, default: '' },
      input: schema,
      output: schema,
      code: { ...code, description: `${code.description} Left out or empty where settings say which model does it.` },
      settings: { $ref: '#/components/schemas/FunctionSettings' },
    },
    required: ['name', 'input', 'output'],
    if: { required: ['settings'] },
    else: { required: ['code'] },
    additionalProperties: false,
  },
  Function: responseObject({
    id,
    name,
    description,
    input: schema,
    output: schema,
    code,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
  FunctionSummary: responseObject({ id, name, description, createdAt: timestamp, updatedAt: timestamp }),
  FunctionPage: pageOf('FunctionSummary'),
  FunctionVersion: responseObject(
    {
      functionId: id,
      version,
      name,
      description,
      input: schema,
      output: schema,
      code,
      contentHash,
      createdAt: timestamp,
      createdBy,
    },
    { description: 'What a function was at one time.' },
  ),
  FunctionVersionSummary: responseObject({
    functionId: id,
    version,
    name,
    description,
    contentHash,
    createdAt: timestamp,
    createdBy,
  }),
  FunctionVersionPage: pageOf('FunctionVersionSummary'),
  Deletion: responseObject({ success: { type: 'boolean' }, message: { type: 'string' } }),
} as const;
