import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonValue } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { Message } from '@patchbay/contracts/message';
import type { ChatResult, Tool, ToolCall } from '@patchbay/contracts/provider';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import { contentText, toolCallsOf, withOneCall } from '@patchbay/outbound/provider-kit/message-content';
import { failedStep, noteRejected, noteStep } from '../usage/call-records.ts';
import { type Conversation, mapLists } from './ask-model.ts';
import type { ModelCall } from './attempt.ts';
import { checkMessages } from './check-gateway-input.ts';
import type { FunctionCallPiece, ToolFunctionCallInput } from './gateway-service.ts';

/** A valid call, and warnings about ignored parts of the response. */
export interface ValidCall {
  readonly call: ToolCall;
  readonly results: readonly ChatResult[];
  readonly warnings: readonly string[];
}

/** A conversation with declared functions. */
type CallRequest = Conversation & { readonly tools: readonly Tool[] };

/** Checks schemas and calls, on behalf of a tenant. */
export interface CheckedBy {
  readonly schemas: SchemaService;
  readonly tenant: string;
}

/**
 * Convert the request of a caller into a conversation that forces a model to call one of the declared functions.
 *
 * @throws PatchbayError `invalid_request` for invalid messages or duplicate function names; `schema_invalid`
 *   unless the parameters of every function stay within the schema profile.
 */
export async function callConversation(input: ToolFunctionCallInput, by: CheckedBy): Promise<CallRequest> {
  const { temperature } = input;
  const tools = declaredTools(input.functions, '/functions');
  const messages = checkMessages(input.messages);
  await checkTools(tools, '/functions', by);
  const [first] = tools;
  const toolChoice = tools.length === 1 && first ? { name: first.name } : 'required';
  return { messages, tools, toolChoice, ...(temperature === undefined ? {} : { temperature }) };
}

/**
 * The tools of a request without those of mounted servers.
 *
 * @throws PatchbayError `invalid_request` for names of tools without the loop that calls them.
 */
export function declaredTools(tools: readonly (Tool | string)[], at: string): readonly Tool[] {
  return tools.map((tool, index) => {
    if (typeof tool !== 'string') return tool;
    const detail = 'is the name of a tool of a mounted server, which needs toolLoop';
    throw new PatchbayError('invalid_request', 'tools can be named only in a loop', {
      errors: [{ pointer: `${at}/${index}`, code: 'required', detail }],
    });
  });
}

/**
 * Check the tools of a request, with its other schemas.
 *
 * @param at Where the tools are in the body.
 * @throws PatchbayError `invalid_request` for two tools with the same name; `schema_invalid`.
 */
export async function checkTools(
  tools: readonly Tool[],
  at: string,
  { schemas, tenant }: CheckedBy,
  others: readonly { readonly schema: Schema; readonly pointer: string }[] = [],
): Promise<void> {
  const names = tools.map(({ name }) => name);
  const duplicates = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ pointer: `${at}/${index}/name`, code: 'duplicate', detail: 'is the name of another function' }],
  );
  if (duplicates.length > 0)
    throw new PatchbayError('invalid_request', 'the body does not match the schema', { errors: duplicates });
  const parameters = tools.map(({ parameters: schema }, index) => ({ schema, pointer: `${at}/${index}/parameters` }));
  if (parameters.length + others.length === 0) return;
  const errors = await schemas.check(tenant, [...parameters, ...others]);
  if (errors.length > 0)
    throw new PatchbayError('schema_invalid', 'a schema of the request is not accepted', { errors });
}

/**
 * Let a model choose one of the declared functions. Its call is validated against the declared schema; an invalid call is
 * returned to the model once, with its errors, after a `restart` if pieces of it were streamed.
 *
 * @throws PatchbayError `function_call_invalid` if the second call is invalid, too.
 */
export async function* makeCall(
  request: CallRequest,
  by: CheckedBy,
  chat: (request: Conversation) => AsyncGenerator<readonly string[], ChatResult>,
  {
    model,
    deadline: {
      context: { notes },
    },
  }: Pick<ModelCall, 'model' | 'deadline'>,
): AsyncGenerator<readonly FunctionCallPiece[], ValidCall> {
  let isShown = false;
  const ask = async function* (
    messages: readonly Message[],
  ): AsyncGenerator<readonly FunctionCallPiece[], CallAttempt> {
    try {
      const result = yield* mapLists(chat({ ...request, messages }), (delta) => {
        isShown = true;
        return { delta };
      });
      return { results: [result], faults: await faultsOf(result, request.tools, by) };
    } catch (error) {
      // The provider could not parse the call.
      if (PatchbayError.is(error) && error.code === 'function_call_invalid') {
        return { results: [], faults: [error.message] };
      }
      throw error;
    }
  };

  const from = notes?.now() ?? 0;
  const { results, faults } = yield* ask(request.messages);
  if (faults.length === 0) return validCall(results);
  const step = failedStep('repair', model.id, misfit(faults));
  noteStep(notes, from, step);
  const [first] = results;
  if (first) noteRejected(notes, model.id, rejectedCall(first), step);
  if (isShown) yield [{ restart: 'the call did not fit; the model is asked again' }];
  const repaired = yield* ask([...request.messages, ...correction(results[0], faults)]);
  if (repaired.faults.length === 0) {
    const warning = 'the first call of the model did not fit and was repaired';
    return validCall([...results, ...repaired.results], [warning]);
  }
  throw misfit(repaired.faults);
}

const misfit = (faults: readonly string[]): PatchbayError =>
  new PatchbayError('function_call_invalid', 'the model returned no call that matches the declared functions', {
    errors: faults.map((detail) => ({ pointer: '/functionCall', code: 'invalid_call', detail })),
  });

/** The call that was rejected, or the text in place of one. */
function rejectedCall({ content }: ChatResult): JsonValue {
  const [call] = toolCallsOf(content);
  return call ? { name: call.name, arguments: call.arguments } : contentText(content);
}

interface CallAttempt {
  /** Empty if nothing could be parsed. */
  readonly results: readonly ChatResult[];
  readonly faults: readonly string[];
}

function validCall(results: readonly ChatResult[], warnings: readonly string[] = []): ValidCall {
  const calls = toolCallsOf(results.at(-1)?.content ?? '');
  const extra = calls.length > 1 ? ['the model asked for more than one call; the first is returned'] : [];
  return { call: calls[0] as ToolCall, results, warnings: [...warnings, ...extra] };
}

async function faultsOf(
  { content }: ChatResult,
  functions: readonly Tool[],
  { schemas, tenant }: CheckedBy,
): Promise<readonly string[]> {
  const [call] = toolCallsOf(content);
  if (!call) return ['no function was called'];
  const declared = functions.find(({ name }) => name === call.name);
  if (!declared) return ['a function was called that is not declared'];
  const document = { text: jsonTextOf(call.arguments), role: 'output', pointer: '/arguments' } as const;
  const { faults } = await schemas.validate(tenant, declared.parameters, document);
  return faults.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

function correction(result: ChatResult | undefined, faults: readonly string[]): readonly Message[] {
  const [call] = toolCallsOf(result?.content ?? '');
  const detail = `This call cannot be used: ${faults.join('; ')}. Call one of the declared functions again, correctly.`;
  if (!result || !call) {
    const said: Message[] = result?.content.length ? [{ role: 'assistant', content: result.content }] : [];
    return [...said, { role: 'user', content: detail }];
  }
  return [
    { role: 'assistant', content: withOneCall(result.content, call) },
    { role: 'tool', toolCallId: call.id, content: detail },
  ];
}
