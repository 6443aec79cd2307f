import { createFunctionLookup } from './function-lookup.ts';
import { keyOf } from './key-of.ts';
import type { CallRequest, CallResolver, Parts, Resolved } from './resolve-call.ts';

/**
 * Brings calls to a server that cannot be called by name, with what every server of the interface has: the stored
 * function of that name, else a function call of a model.
 */
export function createFallback(parts: Parts): CallResolver {
  const functions = createFunctionLookup(parts);
  return async (request) => {
    const id = await functions.find(request.name, request.options);
    if (id === undefined) return await generate(parts, request);
    try {
      return await execute(parts, id, request);
    } catch (error) {
      // It may have been deleted, and stored anew.
      functions.forget();
      throw error;
    }
  };
}

async function execute(
  { post, errorOf, readCallAnswer }: Parts,
  functionId: string,
  request: CallRequest,
): Promise<Resolved> {
  const { input, options, name } = request;
  const reply = await post(`/functions/${encodeURIComponent(functionId)}/execute`, { input }, request);
  const execution = reply.json as Readonly<Record<string, unknown>>;
  const { status } = execution;
  if (status !== 'completed') {
    throw errorOf(reply.status, { detail: `the execution is ${String(status)}`, execution }, reply.headers);
  }
  const warnings = options.model ? [`the model has no effect: "${name}" is a stored function`] : [];
  return { reply, answer: readCallAnswer({ ...execution, source: 'stored', functionId, warnings }) };
}

async function generate({ post, readCallAnswer }: Parts, request: CallRequest): Promise<Resolved> {
  const { name, input, options, output } = request;
  const key = keyOf(name)
    .replace(/[^\w-]/g, '')
    .slice(0, 64);
  const messages = [
    { role: 'system', content: `Do "${name}" with the input, and call the function with what comes out of it.` },
    { role: 'user', content: JSON.stringify(input) },
  ];
  // Models leave an object without properties empty.
  const parameters = output?.schema ?? {
    type: 'object',
    properties: { result: { type: 'string', description: name } },
    required: ['result'],
  };
  const functions = [{ name: key || 'call', description: `Takes the result of: ${name}`, parameters }];
  const reply = await post('/function-calling', { messages, functions, model: options.model }, request);
  const { functionCall, ...rest } = reply.json as { readonly functionCall: { readonly arguments: unknown } };
  return { reply, answer: readCallAnswer({ ...rest, output: functionCall.arguments }) };
}
