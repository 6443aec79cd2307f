import type { PathParameter } from '../input/path-parameters.ts';

export const functionId: PathParameter = { description: 'Id of the function.', notFound: 'function_not_found' };

export const executionId: PathParameter = { description: 'Id of the execution.', notFound: 'execution_not_found' };

/** The query parameters that every list has. */
export const pageQuery = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'Most entries to return.' },
  offset: { type: 'integer', minimum: 0, maximum: 10_000, default: 0, description: 'Entries to skip.' },
  order: { type: 'string', enum: ['asc', 'desc'], default: 'desc', description: 'Direction of the sort.' },
  cursor: {
    type: 'string',
    maxLength: 2_000,
    description: 'Place to go on from: `meta.nextCursor` of the page before. Not together with `offset`.',
  },
} as const;
