import { authorize, jsonTextOf } from '@patchbay/core';
import { prefersType } from '../input/headers.ts';
import { jsonLinesType } from '../input/json-lines.ts';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { PathParameter } from '../routing.ts';
import type { ExampleInput } from '../service-types.ts';
import { functionId, listQuery, pageReply } from './pages.ts';

const exampleId: PathParameter = {
  description: 'Id of the example.',
  pattern: /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
  notFound: 'example_not_found',
};

const view = viewOf('Example');

const readDataset = defineOperation({
  id: 'readDataset',
  method: 'GET',
  path: '/functions/:id/dataset',
  area: 'functions',
  scope: 'functions:read',
  summary: 'Read the examples of a function',
  description:
    'A page of them, or with `Accept: application/jsonl` all, one on each line, the oldest first. With `source=feedback`, the ' +
    'executions of the function that have feedback, with its scores; this needs the scope `feedback:read` as well. On such a ' +
    'page, `total` and `limit` count feedback, of which several can be about one answer.',
  params: { id: functionId },
  query: {
    ...listQuery(['createdAt']),
    // An example can have a few MiB.
    limit: { type: 'integer', minimum: 1, maximum: 20, default: 20, description: 'Most entries to return.' },
    source: {
      type: 'string',
      enum: ['import', 'feedback'],
      default: 'import',
      description: 'Origin of the examples.',
    },
  },
  headers: { Accept: '`application/jsonl`: all examples, as JSON Lines.' },
  success: { status: 200, description: 'A page of examples.', schema: 'ExamplePage', lines: 'Example' },
  errors: ['function_not_found'],
  async handle({ params, query: { source, ...query }, context, header }, { services: { datasets } }) {
    if (source === 'feedback') authorize(context.caller, 'feedback:read');
    if (!prefersType(header('accept'), jsonLinesType, 'application/json')) {
      return await pageReply(query, (page) => datasets.list(params.id, source, page, context), view);
    }
    const examples = await datasets.read(params.id, source, context);
    return { stream: linesOf(examples), mediaType: jsonLinesType };
  },
});

async function* linesOf(examples: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const example of examples) yield `${jsonTextOf(view(example))}\n`;
}

const write = { area: 'functions', scope: 'functions:write' } as const;

const importDataset = defineOperation({
  ...write,
  id: 'importDataset',
  method: 'POST',
  path: '/functions/:id/dataset',
  summary: 'Add examples to a function, or change them',
  description:
    'Up to 500 in a request, all of them or none. Inputs and expected outputs must fit the schemas of the function. An example with ' +
    'the id of another one replaces it; the same again changes nothing. With `Content-Type: application/jsonl`, each line ' +
    'is an example.',
  params: { id: functionId },
  body: bodyOf<{ readonly examples: readonly ExampleInput[] }>({
    schema: 'DatasetImport',
    limitBytes: 4 * 1_048_576,
    lines: 'examples',
  }),
  success: { status: 200, description: 'What became of the examples.', schema: 'DatasetImportResult' },
  errors: ['function_not_found', 'conflict'],
  handle: async ({ params, body, context }, { services: { datasets } }) => ({
    json: await datasets.add(params.id, body.examples, context),
  }),
});

const deleteExample = defineOperation({
  ...write,
  id: 'deleteExample',
  method: 'DELETE',
  path: '/functions/:id/dataset/:example',
  summary: 'Delete an example of a function',
  description: 'One that was imported. For an example of feedback, delete the feedback.',
  params: { id: functionId, example: exampleId },
  success: { status: 200, description: 'The example is gone.', schema: 'Deletion' },
  errors: ['function_not_found', 'example_not_found'],
  async handle({ params: { id, example }, context }, { services: { datasets } }) {
    await datasets.delete(id, example, context);
    return { json: { success: true, message: `example ${example} was deleted` } };
  },
});

const deleteDataset = defineOperation({
  ...write,
  id: 'deleteDataset',
  method: 'DELETE',
  path: '/functions/:id/dataset',
  summary: 'Delete all examples of a function',
  description: 'Those that were imported. Feedback stays.',
  params: { id: functionId },
  success: { status: 200, description: 'The examples are gone.', schema: 'Deletion' },
  errors: ['function_not_found'],
  async handle({ params: { id }, context }, { services: { datasets } }) {
    const count = await datasets.clear(id, context);
    return { json: { success: true, message: `${count} examples of function ${id} were deleted` } };
  },
});

export const datasetOperations = [readDataset, importDataset, deleteExample, deleteDataset];
