import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { type App, PatchbayError } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import type { ExecutionRow } from '@patchbay/core/storage';
import { failed, structured } from './tool-result.ts';

/** A tool of code mode. Its name has an underscore, which no function name has. */
interface CodeTool {
  readonly definition: Tool;
  call(input: Readonly<Record<string, unknown>>, context: RequestContext, app: App): Promise<CallToolResult>;
}

const found = {
  type: 'object',
  properties: {
    functions: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, description: { type: 'string' } },
        required: ['name', 'description'],
      },
    },
  },
  required: ['functions'],
} as const;

const searchFunctions: CodeTool = {
  definition: {
    name: 'search_functions',
    title: 'Search functions',
    description:
      'Find functions that a program of run_code can call: at most 20, ranked by the words of the query in their names, ' +
      'descriptions and properties.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 500, description: 'Words, such as "send invoice".' },
      },
      required: ['query'],
    },
    outputSchema: found,
    annotations: { readOnlyHint: true },
  },
  async call({ query }, context, { services }) {
    if (typeof query !== 'string') throw invalid('/query', 'must be a string');
    const functions = await services.codeMode.search(query.slice(0, 500), context);
    return structured({ functions: functions.map((each) => ({ ...each })) });
  },
};

const describeFunctions: CodeTool = {
  definition: {
    name: 'describe_functions',
    title: 'Describe functions',
    description: 'TypeScript declarations of functions, by the names of search_functions. Read them before run_code.',
    inputSchema: {
      type: 'object',
      properties: { names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 20 } },
      required: ['names'],
    },
    annotations: { readOnlyHint: true },
  },
  async call({ names }, context, { services }) {
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
      throw invalid('/names', 'must be a list of strings');
    }
    return { content: [{ type: 'text', text: await services.codeMode.describe(names, context) }] };
  },
};

const runCode: CodeTool = {
  definition: {
    name: 'run_code',
    title: 'Run a program',
    description:
      'Run TypeScript that calls functions, in a sandbox without network and files. The code is the body of an async ' +
      'function: it has `functions`, as describe_functions declares them, and `log.info(…)`, and nothing else. Await each ' +
      "call, and return the result, any JSON value: `const { orders } = await functions.listOrders({ customer: 'acme' }); " +
      'return orders.length;`. Types are checked first: errors have the line and column of the code.',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', minLength: 1, description: 'The body of an async function, in TypeScript.' },
      },
      required: ['code'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        runId: { type: 'string' },
        value: { description: 'Returned by the program. Absent if it returned nothing.' },
        logs: { type: 'array', items: { type: 'object' } },
        calls: { type: 'array', items: { type: 'object' }, description: 'The functions that the program called.' },
      },
      required: ['runId', 'logs', 'calls'],
    },
    annotations: { readOnlyHint: false },
  },
  async call({ code }, context, { services }) {
    if (typeof code !== 'string') throw invalid('/code', 'must be a string');
    return structured(resultOf(await services.codeMode.run(code, context)));
  },
};

const tools: ReadonlyMap<string, CodeTool> = new Map(
  [searchFunctions, describeFunctions, runCode].map((tool) => [tool.definition.name, tool]),
);

/** The definitions of the tools of code mode. */
export const codeTools: readonly Tool[] = [...tools.values()].map(({ definition }) => definition);

export const isCodeTool = (name: string): boolean => tools.has(name);

/** Call a tool of code mode. Its failure is a result, so that a model can correct its program. */
export async function callCodeTool(
  name: string,
  input: Readonly<Record<string, unknown>>,
  context: RequestContext,
  app: App,
): Promise<CallToolResult | undefined> {
  try {
    return await tools.get(name)?.call(input, context, app);
  } catch (error) {
    return failed(error, app);
  }
}

function resultOf({ id, output, logs, calls }: ExecutionRow) {
  return { runId: id, ...output, logs: [...logs], calls: [...(calls ?? [])] };
}

function invalid(pointer: string, detail: string): PatchbayError {
  return new PatchbayError('input_invalid', 'the arguments do not match the schema of the tool', {
    errors: [{ pointer, code: 'type', detail }],
  });
}
