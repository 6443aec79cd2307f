import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { OutputWatcher } from '@patchbay/contracts/executor';
import type { ChatResult, EmbedResult } from '@patchbay/contracts/provider';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import { contentText, responseMessage } from '@patchbay/outbound/provider-kit/message-content';
import { type AnswerHead, outputTokens, totalsOf } from './answers.ts';
import { askModel, type Conversation, readModel, resultOf, showModel } from './ask-model.ts';
import type { ModelCall } from './attempt.ts';
import { continueText } from './continue-text.ts';
import { embedTexts } from './embed-texts.ts';
import { callConversation, makeCall, type ValidCall } from './function-call.ts';
import type { CompletedAnswer } from './gateway-listener.ts';
import type {
  ChatAnswer,
  EmbedManyAnswer,
  EmbedManyInput,
  FunctionCallAnswer,
  FunctionCallPiece,
  GenerateAnswer,
  GenerateInput,
  ModelChoice,
  ObjectAnswer,
  ObjectInput,
  ToolChatInput,
  ToolFunctionCallInput,
} from './gateway-service.ts';
import type { ModelCatalog } from './model-catalog.ts';
import type { TaskRecords } from './model-performance/task-records.ts';
import { type AskedObject, askForObject, type ObjectTask } from './object/ask-for-object.ts';
import { fitOf, noteFit } from './object/note-fit.ts';
import type { StreamedTask, Task, TextTask } from './pipeline.ts';
import {
  chatConversation,
  chatRequirements,
  conversationOf,
  embedRequirements,
  forTask,
  inConversation,
  promptOf,
  taskOf,
} from './requirements.ts';
import { readResumably } from './stream-events.ts';

interface TaskDependencies {
  readonly catalog: ModelCatalog;
  readonly schemas: SchemaService;
  readonly records: Pick<TaskRecords, 'add'>;
  readonly clock: Clock;
}

/** The operations of the gateway, each as the task that its request becomes. */
export function createTasks(dependencies: TaskDependencies) {
  const { catalog, schemas } = dependencies;
  const textTask = <A extends CompletedAnswer>(
    { routing }: ModelChoice,
    conversation: Conversation,
    toAnswer: (head: AnswerHead, result: ChatResult) => A,
  ): TextTask<A> => {
    const task: TextTask<A> = {
      conversation,
      needs: chatRequirements(conversation, routing),
      ask: (call) => askModel(catalog.provider(call.model), conversation, call),
      read: (call) => readModel(catalog.provider(call.model), conversation, call),
      continueFrom: (call, text) =>
        continueText(
          (asked) => readModel(catalog.provider(call.model), asked, call),
          conversation,
          text,
          call.model.info,
        ),
      partsOf: (opened) => readResumably(opened, task),
      outputTokens: ({ usage }) => usage.outputTokens,
      toAnswer,
    };
    return task;
  };

  const chatTask = (input: ToolChatInput, { caller: { tenant } }: RequestContext) => {
    const conversation = chatConversation(input, { schemas, tenant });
    return conversation instanceof Promise
      ? conversation.then((checked) => chatTaskOf(input, checked))
      : chatTaskOf(input, conversation);
  };

  const chatTaskOf = (input: ToolChatInput, conversation: Conversation) => {
    const task = textTask(input, conversation, (head, result): ChatAnswer => {
      const { content, finishReason, usage, extra } = result;
      return {
        ...head,
        message: responseMessage(content, head.model),
        finishReason,
        usage,
        ...(extra && { extra }),
        ...totalsOf({ results: [result] }, head),
      };
    });
    return { ...task, needs: inConversation(task.needs, conversation) };
  };

  const generateTask = (input: GenerateInput) =>
    textTask(input, promptOf(input), (head, result): GenerateAnswer => {
      const { content, finishReason } = result;
      return { ...head, text: contentText(content), finishReason, ...totalsOf({ results: [result] }, head) };
    });

  const embedTask = ({ texts, dimensions, routing }: EmbedManyInput): Task<EmbedResult, EmbedManyAnswer> => ({
    needs: embedRequirements(texts.join('\n'), routing),
    ask: (call) => embedTexts(catalog.provider(call.model), texts, dimensions, call),
    outputTokens: () => 0,
    toAnswer: (head, { embeddings, tokens, warnings = [] }) => ({
      ...head,
      embeddings,
      tokens,
      warnings: [...head.warnings, ...warnings],
    }),
  });

  const callTask = async (
    input: ToolFunctionCallInput,
    { caller: { tenant } }: RequestContext,
  ): Promise<StreamedTask<FunctionCallPiece, ValidCall, FunctionCallAnswer>> => {
    const by = { schemas, tenant };
    const request = await callConversation(input, by);
    const make = (call: ModelCall, watched?: 'tool-arguments') =>
      makeCall(request, by, (asked) => showModel(catalog.provider(call.model), asked, call, watched), call);
    return {
      needs: inConversation(chatRequirements(request, input.routing), request),
      ask: (call) => resultOf(make(call)),
      read: (call) => make(call, 'tool-arguments'),
      partsOf: ({ value }) => value.parts(),
      outputTokens: ({ results }) => outputTokens(results),
      isRepaired: ({ results }) => results.length > 1,
      toAnswer: (head, valid) => {
        const { name, arguments: values } = valid.call;
        return { ...head, functionCall: { name, arguments: values }, ...totalsOf(valid, head) };
      },
    };
  };

  const objectTask = async (
    input: ObjectInput,
    context: RequestContext,
    watcher: OutputWatcher | undefined,
  ): Promise<Task<AskedObject, ObjectAnswer>> => {
    const { output, outputName = 'answer', repairs = 2, routing } = input;
    const { tenant } = context.caller;
    const errors = await schemas.check(tenant, [{ schema: output, pointer: '/output' }]);
    if (errors.length > 0) throw new PatchbayError('schema_invalid', 'the output schema is not accepted', { errors });
    const conversation = conversationOf(input);
    const faultsOf: ObjectTask['faultsOf'] = async (object) => {
      const document = { text: jsonTextOf(object), role: 'output', pointer: '/output' } as const;
      return (await schemas.validate(tenant, output, document)).faults;
    };
    const asked = { conversation, output, outputName, faultsOf, repairs, watcher };
    const task = taskOf(input);
    return {
      needs: forTask(chatRequirements(conversation, routing), task),
      ask: (call) =>
        noteFit(dependencies, task, call.model, context, askForObject(catalog.provider(call.model), asked, call)),
      outputTokens: ({ results }) => outputTokens(results),
      isRepaired: (result) => fitOf(result) !== 'fitted',
      toAnswer: (head, { object, ...rest }) => {
        const finishReason = rest.results.at(-1)?.finishReason ?? 'stop';
        return { ...head, object, finishReason, ...totalsOf(rest, head) };
      },
    };
  };

  return { chatTask, generateTask, embedTask, callTask, objectTask };
}
