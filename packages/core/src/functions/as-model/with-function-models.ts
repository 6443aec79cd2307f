import { timestamp } from '@patchbay/contracts/base/clock';
import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { nearestNames } from '@patchbay/contracts/base/names';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { OutputWatcher } from '@patchbay/contracts/executor';
import type { JsonObject } from '@patchbay/contracts/json';
import { samplingNames } from '@patchbay/contracts/provider';
import type { ExecutionRow, FunctionRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { authorize } from '../../access/callers.ts';
import { divert } from '../../gateway/answers.ts';
import { checkMessages } from '../../gateway/check-gateway-input.ts';
import type {
  Answer,
  ChatAnswer,
  ChatPiece,
  GatewayService,
  StreamedAnswer,
  ToolChatInput,
} from '../../gateway/gateway-service.ts';
import { asksFunction, FUNCTION_PREFIX, isFunctionModel } from '../../gateway/model-catalog.ts';
import { Batched } from '../../gateway/stream-events.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import { noUsage } from '../../usage/usage-ledger.ts';
import { type CallEvent, streamCall } from '../calls/stream-call.ts';
import type { ExecutionService } from '../executions/execution-service.ts';
import { modelUseOf } from '../executions/run-execution.ts';
import { findByName } from '../find-by-name.ts';
import { readInput, unfit } from './read-input.ts';
import { WrittenText } from './written-text.ts';

interface FunctionModelDependencies {
  readonly storage: Storage;
  readonly executions: Pick<ExecutionService, 'execute'>;
  readonly settings: Pick<SettingsService, 'get' | 'resolve'>;
  readonly clock: Clock;
}

/** A chat that is a call of a function. */
interface FunctionChat {
  readonly head: Omit<Answer, 'warnings'>;
  readonly row: FunctionRow;
  readonly input: JsonObject;
  /** With the label of the settings. */
  readonly context: RequestContext;
  /** About the request. */
  readonly warnings: readonly string[];
}

type FinishedExecution = ExecutionRow & { readonly output: JsonObject };

/**
 * The gateway with the stored functions of a tenant as models of its chat, by the names `fn/<name>` and
 * `fn/<name>@<label>`. The input is the last user message, and the content of the response is the output as JSON.
 * Each chat is an execution, as a call by name is.
 *
 * Its chat also throws `insufficient_scope` without `functions:execute`, `ambiguous_function_name`, and what executions throw.
 */
export function withFunctionModels(gateway: GatewayService, dependencies: FunctionModelDependencies): GatewayService {
  const { executions, clock } = dependencies;

  const prepare = async (chat: ToolChatInput, context: RequestContext): Promise<FunctionChat> => {
    const { model = '' } = chat;
    authorize(context.caller, 'functions:execute');
    const { row, label, warnings } = await findFunction(dependencies, model.slice(FUNCTION_PREFIX.length), context);
    if (chat.tools && chat.tools.length > 0) throw toolsRefused();
    const messages = checkMessages(chat.messages);
    const input = await readInput(messages, row.input);
    return {
      head: { id: newId('chat'), model, createdAt: timestamp(clock), route: 'function' },
      row,
      input,
      context: label === undefined ? context : { ...context, settingsLabel: label },
      warnings: [...warnings, ...ignoredBy(model, chat)],
    };
  };

  const execute = async ({ head, row, input }: FunctionChat, within: RequestContext, watcher?: OutputWatcher) => {
    try {
      const call = { id: head.id, name: row.name };
      return (await executions.execute(row.id, input, { ...within, call }, watcher)) as FinishedExecution;
    } catch (error) {
      if (!PatchbayError.is(error) || error.code !== 'input_invalid') throw error;
      const faults = error.errors.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/input/, '') }));
      throw unfit(faults);
    }
  };

  const chatWith = async (input: ToolChatInput, context: RequestContext): Promise<ChatAnswer> => {
    const chat = await prepare(input, context);
    return answerOf(chat, await execute(chat, chat.context));
  };

  const streamChatWith = async (
    input: ToolChatInput,
    context: RequestContext,
  ): Promise<StreamedAnswer<ChatAnswer, ChatPiece>> => {
    const chat = await prepare(input, context);
    const carryOut = (watcher: OutputWatcher, within: RequestContext) => execute(chat, within, watcher);
    const events = await streamCall(carryOut, chat.context);
    return { ...chat.head, warnings: chat.warnings, events: Batched.from(piecesOf(chat, events)) };
  };

  const chats = divert(gateway, asksFunction, {
    chat: chatWith,
    streamChat: streamChatWith,
    relayChat: async ({ model, translate }, context) => await chatWith(withModel(translate(), model), context),
    relayStreamedChat: async ({ model, translate }, context) =>
      await streamChatWith(withModel(translate(), model), context),
  });
  return {
    ...chats,
    executes: isFunctionModel,

    async explain(input, context) {
      const { functionName } = input;
      const row = functionName === undefined ? undefined : await functionNamed(dependencies, functionName, context);
      if (!row) return await gateway.explain(input, context);
      const { version: settingsVersion } = await dependencies.settings.resolve(row, context);
      return await gateway.explain({ settingsVersion, ...input }, context);
    },
  };
}

/** With the name of the request, which decided that it is for a function. */
const withModel = (input: ToolChatInput, model = ''): ToolChatInput => ({ ...input, model });

async function functionNamed(
  { storage }: Pick<FunctionModelDependencies, 'storage'>,
  name: string,
  { caller }: RequestContext,
): Promise<FunctionRow | undefined> {
  const id = name === '' ? undefined : await findByName(storage, caller, name);
  return id === undefined ? undefined : await storage.get(caller.tenant, 'functions', id);
}

interface FoundFunction {
  readonly row: FunctionRow;
  /** Of its settings. */
  readonly label?: string;
  readonly warnings: readonly string[];
}

/** @throws PatchbayError `model_not_found`, `ambiguous_function_name`. */
async function findFunction(
  { storage, settings }: FunctionModelDependencies,
  given: string,
  context: RequestContext,
): Promise<FoundFunction> {
  // Names may have an @ in them.
  const exact = await functionNamed({ storage }, given, context);
  if (exact) return { row: exact, warnings: [] };
  const at = given.lastIndexOf('@');
  const name = at === -1 ? given : given.slice(0, at);
  const row = at === -1 ? undefined : await functionNamed({ storage }, name, context);
  if (!row) {
    const [nearest] = name.length > SHOWN_NAME ? [] : await nearestNames(storage, context.caller, name);
    const hint = nearest === undefined ? '' : `; did you mean "${FUNCTION_PREFIX}${nearest}"?`;
    throw new PatchbayError('model_not_found', `there is no function "${name.slice(0, SHOWN_NAME)}"${hint}`);
  }
  const label = given.slice(at + 1);
  try {
    await settings.get(row.id, { label }, context);
  } catch (error) {
    if (!PatchbayError.is(error) || error.code !== 'settings_not_found') throw error;
    const message = `the function "${row.name}" has no settings with the label "${label.slice(0, SHOWN_NAME)}"`;
    throw new PatchbayError('model_not_found', message);
  }
  return row.code === '' ? { row, label, warnings: [] } : { row, warnings: [`${row.name} has code: ${LABEL_IGNORED}`] };
}

/** The longest name of a function. Clients control the length of the names they send. */
const SHOWN_NAME = 200;
const LABEL_IGNORED = 'the label of its settings has no effect';

function toolsRefused(): PatchbayError {
  const errors = [{ pointer: '/tools', code: 'unsupported_parameter', detail: 'cannot be used with a function' }];
  return new PatchbayError('invalid_request', 'a function calls no tools of the client', { errors });
}

/** The members of a chat that only a model can use. */
const ignored = [
  ...samplingNames,
  'stop',
  'seed',
  'reasoningEffort',
  'responseSchema',
  'responseJson',
  'toolChoice',
  'parallelToolCalls',
  'toolLoop',
  'routing',
] as const satisfies readonly (keyof ToolChatInput)[];

function ignoredBy(model: string, chat: ToolChatInput): readonly string[] {
  const found = ignored.filter((name) => chat[name] !== undefined);
  const others = chat.messages.length > 1 ? [`${model} takes the last message of the user only`] : [];
  return found.length > 0 ? [`${model} is a function and ignores ${found.join(', ')}`, ...others] : others;
}

function answerOf({ head, warnings }: FunctionChat, row: FinishedExecution): ChatAnswer {
  const use = modelUseOf(row);
  const { promptTokens, completionTokens } = use.tokens;
  return {
    ...head,
    message: { role: 'assistant', content: jsonTextOf(row.output) },
    finishReason: 'stop',
    usage: { ...noUsage, uncachedInputTokens: promptTokens, outputTokens: completionTokens },
    ...use.tokens,
    warnings: [...warnings, ...use.warnings],
  };
}

function textOf(
  event: Exclude<CallEvent<FinishedExecution>, { restart: string } | { log: unknown }>,
  written: WrittenText,
): string {
  if ('done' in event) return written.end(event.done.output);
  return event.isYielded ? written.replace(event.partial) : written.grow(event.partial);
}

async function* piecesOf(
  chat: FunctionChat,
  events: AsyncIterable<CallEvent<FinishedExecution>>,
): AsyncGenerator<ChatPiece | { readonly done: ChatAnswer }, void> {
  const written = new WrittenText();
  for await (const event of events) {
    // After a restart the same text may come again.
    if ('restart' in event || 'log' in event) continue;
    const delta = textOf(event, written);
    if (delta !== '') yield { delta };
    if ('done' in event) yield { done: answerOf(chat, event.done) };
  }
}
