import { jsonTextOf } from '../base/json-text-of.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { OutputWatcher } from '../contracts/executor.ts';
import type { ChatRequest, ChatResult, Message, Tool, ToolCall } from '../contracts/provider.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import { checkMessages } from './check-gateway-input.ts';
import type { FunctionCallInput } from './gateway-service.ts';

/** What a model is asked to choose from. */
export type FunctionCallRequest = Pick<ChatRequest, 'messages' | 'temperature'> & {
  readonly functions: readonly Tool[];
};

/** A call that fits what was declared, and what of the model's answer was left aside. */
export interface ValidCall {
  readonly call: ToolCall;
  readonly results: readonly ChatResult[];
  readonly warnings: readonly string[];
}

/** What checks the schemas and calls of a tenant. */
export interface CheckedBy {
  readonly schemas: SchemaService;
  readonly tenant: string;
}

/**
 * Make sure that a model can tell the functions of a request apart.
 *
 * @throws PatchbayError `invalid_request` when two functions have one name: nobody could tell which is meant.
 */
function checkFunctionNames(functions: readonly Tool[]): void {
  const seen = new Set<string>();
  const errors = functions.flatMap(({ name }, index) => {
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew
      ? []
      : [{ pointer: `/functions/${index}/name`, code: 'duplicate', detail: 'is the name of another function' }];
  });
  if (errors.length > 0)
    throw new PatchbayError('invalid_request', 'the body does not have the documented shape', { errors });
}

/** @throws PatchbayError `schema_invalid` unless the parameters of every function stay within the schema profile. */
async function checkFunctions(functions: readonly Tool[], { schemas, tenant }: CheckedBy): Promise<void> {
  const errors = await schemas.check(
    tenant,
    functions.map(({ parameters: schema }, index) => ({ schema, pointer: `/functions/${index}/parameters` })),
  );
  if (errors.length > 0)
    throw new PatchbayError('schema_invalid', 'the parameters of a function are not accepted', { errors });
}

/**
 * The request of a caller, checked.
 *
 * @throws PatchbayError `invalid_request` where names or messages make no sense; `schema_invalid`.
 */
export async function callRequestOf(input: FunctionCallInput, by: CheckedBy): Promise<FunctionCallRequest> {
  const { functions, temperature } = input;
  checkFunctionNames(functions);
  const messages = checkMessages(input.messages);
  await checkFunctions(functions, by);
  return { messages, functions, ...(temperature === undefined ? {} : { temperature }) };
}

/**
 * Have a model choose one of the declared functions. What it answers is checked against the declared schema; a call
 * that does not fit is shown to the model once, with what is wrong.
 *
 * @throws PatchbayError `function_call_invalid` where that does not help either.
 */
export async function callWithRepair(
  request: FunctionCallRequest,
  by: CheckedBy,
  chat: (request: Omit<ChatRequest, 'model'>) => Promise<ChatResult>,
): Promise<ValidCall> {
  const { functions, messages, ...sampling } = request;
  const [first] = functions;
  const toolChoice = functions.length === 1 && first ? { name: first.name } : 'required';
  const ask = async (conversation: readonly Message[]): Promise<CallAttempt> => {
    try {
      const result = await chat({ ...sampling, messages: conversation, tools: functions, toolChoice });
      return { results: [result], faults: await faultsOf(result, functions, by) };
    } catch (error) {
      // The provider could not even read the call.
      if (PatchbayError.is(error) && error.code === 'function_call_invalid') {
        return { results: [], faults: [error.message] };
      }
      throw error;
    }
  };

  const { results, faults } = await ask(messages);
  if (faults.length === 0) return validCall(results);
  const repaired = await ask([...messages, ...correction(results[0], faults)]);
  if (repaired.faults.length === 0) {
    const warning = 'the first call of the model did not fit and was repaired';
    return validCall([...results, ...repaired.results], [warning]);
  }
  throw new PatchbayError('function_call_invalid', 'the model made no call that fits the declared functions', {
    errors: repaired.faults.map((detail) => ({ pointer: '/functionCall', code: 'invalid_call', detail })),
  });
}

interface CallAttempt {
  /** Empty where there is nothing that could be read. */
  readonly results: readonly ChatResult[];
  readonly faults: readonly string[];
}

function validCall(results: readonly ChatResult[], warnings: readonly string[] = []): ValidCall {
  const calls = results.at(-1)?.toolCalls ?? [];
  const extra = calls.length > 1 ? ['the model asked for more than one call; the first is returned'] : [];
  return { call: calls[0] as ToolCall, results, warnings: [...warnings, ...extra] };
}

async function faultsOf(
  { toolCalls }: ChatResult,
  functions: readonly Tool[],
  { schemas, tenant }: CheckedBy,
): Promise<readonly string[]> {
  const [call] = toolCalls;
  if (!call) return ['no function was called'];
  const declared = functions.find(({ name }) => name === call.name);
  if (!declared) return ['a function was called that is not declared'];
  const document = { text: jsonTextOf(call.arguments), role: 'output', pointer: '/arguments' } as const;
  const { faults } = await schemas.validate(tenant, declared.parameters, document);
  return faults.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

function correction(result: ChatResult | undefined, faults: readonly string[]): readonly Message[] {
  const [call] = result?.toolCalls ?? [];
  const detail = `This call cannot be used: ${faults.join('; ')}. Call one of the declared functions again, correctly.`;
  if (!result || !call) {
    const said: Message[] = result?.content ? [{ role: 'assistant', content: result.content }] : [];
    return [...said, { role: 'user', content: detail }];
  }
  return [
    { role: 'assistant', content: result.content, toolCalls: [call] },
    { role: 'tool', toolCallId: call.id, content: detail },
  ];
}

/** A piece of the JSON text of the arguments, or the notice that all text so far is void. */
export type FunctionCallPiece = { readonly delta: string } | { readonly restart: string };

export interface OpenFunctionCall {
  readonly done: Promise<ValidCall>;
  /** Ending the iteration aborts the call. */
  pieces(): AsyncGenerator<FunctionCallPiece, void, void>;
}

/**
 * Start a call and wait for the first piece of its arguments: until then, what fails is thrown and another model may be asked.
 *
 * @param carryOut Reports the text of the arguments to the watcher while it grows, and ends when the signal aborts.
 */
export async function openFunctionCall(
  carryOut: (watcher: OutputWatcher, signal: AbortSignal) => Promise<ValidCall>,
): Promise<OpenFunctionCall> {
  const abandoned = new AbortController();
  let waiting: FunctionCallPiece[] = [];
  let changed = Promise.withResolvers<void>();
  let shown = '';
  let isOver = false;
  const push = (piece: FunctionCallPiece): void => {
    waiting.push(piece);
    changed.resolve();
  };
  const watcher: OutputWatcher = {
    wrote(text) {
      // The whole call, which follows its pieces, may be spaced in another way.
      if (!text.startsWith(shown) || text.length === shown.length) return;
      push({ delta: text.slice(shown.length) });
      shown = text;
    },
    restarted(why) {
      if (shown !== '') push({ restart: why });
      shown = '';
    },
  };
  const done = carryOut(watcher, abandoned.signal);
  const end = (): void => {
    isOver = true;
    changed.resolve();
  };
  done.then(end, end);
  await changed.promise;
  if (waiting.length === 0) await done;

  return {
    done,
    async *pieces() {
      try {
        while (!isOver || waiting.length > 0) {
          const taken = waiting;
          waiting = [];
          changed = Promise.withResolvers<void>();
          yield* taken;
          if (!isOver && waiting.length === 0) await changed.promise;
        }
      } finally {
        abandoned.abort(new DOMException('the stream is no longer read', 'AbortError'));
      }
    },
  };
}
