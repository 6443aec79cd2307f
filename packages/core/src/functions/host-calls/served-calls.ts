import { reachesFunction } from '@patchbay/contracts/base/stored-rows';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Storage } from '@patchbay/contracts/storage';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';
import type { CheckGatewayInput, GatewayInputs } from '../../gateway/check-gateway-input.ts';
import type { Answer, GatewayService, ToolChatInput } from '../../gateway/gateway-service.ts';
import { findByName } from '../find-by-name.ts';
import type { ServedCall, ServedCalls } from './open-host-calls.ts';
import { requireGrant } from './tool-calls.ts';

/**
 * The gateway for code: the same requests and responses as its endpoints, for a caller that may use them.
 *
 * @param granted The tools of mounted servers that the function may let a model call.
 */
export function aiCalls(
  gateway: () => GatewayService,
  check: CheckGatewayInput,
  granted: readonly string[],
): ServedCalls {
  const served = <N extends keyof GatewayInputs>(
    name: N,
    serve: (input: GatewayInputs[N], context: RequestContext) => Promise<Answer>,
  ): ServedCall => ({
    request: { scope: 'gateway:invoke', limit: 'model' },
    maxBytes: 4_194_304,
    serve: async (given: JsonValue, context: RequestContext) => withoutRoute(await serve(check(name, given), context)),
  });
  return new Map([
    ['ai.generate', served('GenerateRequest', (input, context) => gateway().generate(input, context))],
    [
      'ai.chat',
      served('ChatRequest', async (input, context) => {
        requireGrant(toolNames(input.tools), granted);
        return await gateway().chat(input, context);
      }),
    ],
    ['ai.embed', served('EmbeddingRequest', (input, context) => gateway().embed(input, context))],
    [
      'ai.call',
      served('FunctionCallRequest', async (input, context) => {
        requireGrant(toolNames(input.functions), granted);
        return await gateway().generateFunctionCall(input, context);
      }),
    ],
  ]);
}

/** The tools of mounted servers among those of a request. */
const toolNames = (tools: ToolChatInput['tools'] = []): readonly string[] =>
  tools.filter((tool) => typeof tool === 'string');

/** As the endpoints respond: there, the route is in a header, and empty warnings are omitted. */
function withoutRoute(answer: Answer): object {
  return { ...answer, route: undefined, warnings: answer.warnings.length > 0 ? answer.warnings : undefined };
}

/** How function calls are served. */
export interface CalledFunctions {
  /** The id of the function that code calls by this name. @throws PatchbayError `function_not_found`. */
  readonly find: (name: string, context: RequestContext) => Promise<string>;
  /** Executes a function as its endpoint does. */
  readonly execute: (id: string, input: JsonObject, context: RequestContext) => Promise<Called>;
  /** Called around each call. Default: nothing. */
  readonly observe?: (name: string, call: () => Promise<Called>) => Promise<Called>;
}

/** The result of a call. */
export interface Called {
  /** The execution of a called function. */
  readonly id?: string;
  readonly output: JsonValue;
}

/** Maximum depth of nested executions, including the first. */
const MAX_CALL_DEPTH = 8;

/** Bytes of a call, as for the body of an execution. */
const MAX_BYTES = 1_048_576;

/** Calls of functions of the tenant, with the caller of the run. */
export function functionCalls({ find, execute, observe = (_, call) => call() }: CalledFunctions): ServedCalls {
  const serve = async (given: JsonValue, context: RequestContext) => {
    const { function: name, input } = readCall(given);
    if ((context.execution?.depth ?? 0) >= MAX_CALL_DEPTH) {
      throw new PatchbayError('call_depth_exceeded', `function calls nest at most ${MAX_CALL_DEPTH} levels deep`);
    }
    const { output } = await observe(name, async () => await execute(await find(name, context), input, context));
    return output;
  };
  const request = { scope: 'functions:execute', limit: 'execute' } as const;
  return new Map([['functions.call', { request, maxBytes: MAX_BYTES, serve }]]);
}

function readCall(given: JsonValue) {
  const { function: name, input } = fieldsOf(given) ?? {};
  const fault = (pointer: string, detail: string) =>
    new PatchbayError('invalid_request', `a call needs the name of a function and its input: ${detail}`, {
      errors: [{ pointer, code: 'type', detail }],
    });
  if (typeof name !== 'string') throw fault('/function', 'the name must be a string');
  const object = fieldsOf(input) as JsonObject | undefined;
  if (!object) throw fault('/input', 'the input must be an object');
  return { function: name, input: object };
}

/**
 * The id of the function with this id, else of the only one with this name, or this key.
 *
 * @throws PatchbayError `function_not_found`, `ambiguous_function_name`.
 */
export async function findFunctionId(storage: Storage, name: string, { caller }: RequestContext): Promise<string> {
  // Ids and names are no longer than the strings that a storage compares.
  const found = name.length <= 255 ? await storage.get(caller.tenant, 'functions', name) : undefined;
  const isReached = found && reachesFunction(caller, found.id);
  const id = isReached ? found.id : await findByName(storage, caller, name);
  if (id !== undefined) return id;
  throw new PatchbayError('function_not_found', `there is no function "${name.slice(0, 200)}"`);
}
