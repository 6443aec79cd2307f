import { executionStatuses } from '@patchbay/core/storage';
import { opaqueId as id, pageOf, timestamp } from './schema-object.ts';

const summary = {
  id,
  functionId: id,
  functionVersion: { type: 'integer', minimum: 1, description: 'The version of the function that ran.' },
  status: {
    type: 'string',
    enum: executionStatuses,
  },
  durationMs: { type: 'integer', minimum: 0, description: 'Milliseconds that the code ran.' },
  createdAt: timestamp,
  completedAt: { ...timestamp, description: 'UTC, with milliseconds. Absent while the execution runs.' },
} as const;

const run = {
  input: { type: 'object', description: 'As the caller sent it.' },
  effectiveInput: {
    type: 'object',
    description: 'What the code got, with defaults filled in. Absent where that is the same as `input`.',
  },
  output: { type: 'object', description: 'Fits the output schema of the function. Present once completed.' },
  error: {
    type: 'object',
    description: 'Why the run did not complete.',
    properties: { code: { type: 'string' }, message: { type: 'string' }, stack: { type: 'string' } },
  },
  logs: {
    type: 'array',
    description: 'What the code logged.',
    items: {
      type: 'object',
      properties: {
        level: { type: 'string' },
        message: { type: 'string' },
        time: timestamp,
        fields: { type: 'object', description: 'What the code gave beside the message.' },
      },
    },
  },
  parentId: { ...id, description: 'The execution whose code asked for this one. Absent where a caller did.' },
  attempt: { type: 'integer', minimum: 2, description: 'How often it was started. Absent: once, or not yet.' },
  logsTruncated: { const: true, description: 'Present where later lines were dropped.' },
  usage: { type: 'object', description: 'What was measured, such as `cpuMs`.' },
} as const;

export const executionSchemas = {
  ExecuteRequest: {
    type: 'object',
    properties: {
      input: {
        type: 'object',
        description: 'Values of the input properties of the function; those with a default may be left out.',
      },
    },
    required: ['input'],
    additionalProperties: false,
  },
  Execution: {
    type: 'object',
    description: 'One run of a function. A member without a value is left out.',
    properties: {
      ...summary,
      ...run,
    },
    required: ['id', 'functionId', 'functionVersion', 'status', 'input', 'logs', 'createdAt'],
  },
  ExecutionLogs: {
    type: 'object',
    properties: { status: summary.status, data: run.logs, logsTruncated: run.logsTruncated },
    required: ['status', 'data'],
  },
  TestRequest: {
    type: 'object',
    properties: {
      function: {
        type: 'object',
        description: 'The function, as it would be created.',
        properties: {
          input: { $ref: '#/components/schemas/Schema' },
          output: { $ref: '#/components/schemas/Schema' },
          code: { type: 'string', minLength: 1, description: 'As in a function that is created.' },
        },
        required: ['input', 'output', 'code'],
        additionalProperties: false,
      },
      input: { type: 'object', description: 'Values of the input properties.' },
    },
    required: ['function', 'input'],
    additionalProperties: false,
  },
  TestResult: {
    type: 'object',
    description: 'A run that was not stored: an execution without ids.',
    properties: {
      status: summary.status,
      durationMs: summary.durationMs,
      createdAt: summary.createdAt,
      completedAt: summary.completedAt,
      ...run,
    },
    required: ['status', 'input', 'logs', 'createdAt', 'completedAt'],
  },
  ExecutionSummary: {
    type: 'object',
    properties: summary,
    required: ['id', 'functionId', 'functionVersion', 'status', 'createdAt'],
  },
  ExecutionPage: pageOf('ExecutionSummary'),
} as const;
