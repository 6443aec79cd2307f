import type { HttpReply } from '../http/http.ts';
import type { CallOptions } from './call-options.ts';
import { createFunctionLookup } from './function-lookup.ts';
import { keyOf } from './key-of.ts';
import type { CallRequest, CallResolver, Parts } from './resolve-call.ts';

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

async function execute({ http, errorOf }: Parts, functionId: string, request: CallRequest): Promise<HttpReply> {
  const { input, options, key } = request;
  const path = `/functions/${encodeURIComponent(functionId)}/execute`;
  const reply = await http({ ...options, idempotencyKey: key, method: 'POST', path, body: { input } });
  const execution = reply.json as Readonly<Record<string, unknown>>;
  const { status } = execution;
  if (status !== 'completed') {
    throw errorOf(reply.status, { detail: `the execution is ${String(status)}`, execution }, reply.headers);
  }
  const warnings = withoutEffect(options, ['model', 'cache', 'metadata']);
  return { ...reply, json: { ...execution, source: 'stored', functionId, warnings } };
}

async function generate({ http }: Parts, request: CallRequest): Promise<HttpReply> {
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
  const body = { messages, functions, model: options.model };
  const reply = await http({ ...options, method: 'POST', path: '/function-calling', body });
  const { functionCall, ...rest } = reply.json as FunctionCallDocument;
  const { warnings = [], ...answer } = rest;
  const ignored = withoutEffect(options, ['cache', 'metadata']);
  return { ...reply, json: { ...answer, output: functionCall.arguments, warnings: [...warnings, ...ignored] } };
}

function withoutEffect(options: CallOptions, names: readonly (keyof CallOptions)[]): readonly string[] {
  return names.filter((name) => options[name]).map((name) => `this server has no use for the option "${name}" here`);
}

interface FunctionCallDocument {
  readonly functionCall: { readonly arguments: unknown };
  readonly warnings?: readonly string[];
}
