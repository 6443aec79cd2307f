/** RFC 9457. */
export const problemSchema = {
  type: 'object',
  description: 'A failed request. Members beyond these depend on `code`, such as `execution`.',
  properties: {
    type: { type: 'string', description: '`urn:patchbay:error:` and the code.' },
    title: { type: 'string', description: 'The same for every occurrence of the code.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened this time.' },
    instance: { type: 'string', description: '`urn:patchbay:request:` and the request id.' },
    code: { type: 'string', description: 'Stable name of the kind of failure.' },
    requestId: { type: 'string', description: 'As in the header `Request-Id`.' },
    retryable: { type: 'boolean', description: 'Whether the same request, sent again later, can succeed.' },
    errors: {
      type: 'array',
      description: 'Single faults, where they can be told apart.',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer into the body, or `?name` for a query parameter.' },
          code: { type: 'string' },
          detail: { type: 'string' },
          line: { type: 'integer', minimum: 1 },
          column: { type: 'integer', minimum: 1 },
        },
        required: ['pointer', 'code', 'detail'],
      },
    },
    execution: {
      description: 'The execution that did not complete; without ids where a function was only tested.',
      anyOf: [{ $ref: '#/components/schemas/Execution' }, { $ref: '#/components/schemas/TestResult' }],
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'retryable'],
} as const;
