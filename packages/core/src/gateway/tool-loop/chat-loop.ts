import type { RequestContext } from '@patchbay/contracts/context';
import { toolCallsOf } from '@patchbay/outbound/provider-kit/message-content';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import type { ReceivedMessage } from '../check-gateway-input.ts';
import type { ChatAnswer, ChatInput, ToolChatInput, ToolResultPiece } from '../gateway-service.ts';
import { loopAnswer, loopUsage } from './loop-answer.ts';
import { type LoopTools, loopTools } from './loop-tools.ts';
import { runToolCalls } from './run-tool-calls.ts';

/** Requests to models, unless the caller says otherwise. */
export const DEFAULT_STEPS = 10;

/** Calls a model once. Yields what is to be shown meanwhile. */
type AskModel<P> = (step: ChatInput) => AsyncGenerator<P, ChatAnswer>;

/**
 * Call a model, run the tools of mounted servers that it calls, and call it again with their results, until it calls
 * none, calls one of the caller's own, or the steps are used up.
 */
export async function* chatLoop<P>(
  input: ToolChatInput,
  ask: AskModel<P>,
  catalog: ToolCatalog,
  context: RequestContext,
): AsyncGenerator<P | ToolResultPiece, ChatAnswer> {
  const { toolLoop, tools: given = [], toolChoice, ...chat } = input;
  const tools = await loopTools(given, '/tools', catalog, context);
  const maxSteps = toolLoop?.maxSteps ?? DEFAULT_STEPS;
  const own = new Set(tools.own.map(({ name }) => name));
  const added: ReceivedMessage[] = [];
  const answers: ChatAnswer[] = [];
  const end = (warnings: readonly string[] = []): ChatAnswer => ({
    ...loopAnswer(answers, warnings),
    usage: loopUsage(answers),
    messages: added,
  });
  for (;;) {
    const messages = [...chat.messages, ...added];
    const step = {
      ...chat,
      messages,
      ...(tools.all.length > 0 && { tools: tools.all }),
      ...(toolChoice && { toolChoice: choiceOf(toolChoice, tools, answers.length) }),
    };
    const answer = yield* ask(step);
    answers.push(answer);
    added.push(answer.message);
    const calls = toolCallsOf(answer.message.parts ?? []);
    const mounted = calls.filter(({ name }) => !own.has(name));
    if (mounted.length === 0) return end();
    if (answers.length >= maxSteps) {
      return end([`the model still called tools after ${maxSteps} steps; these calls were not run`]);
    }
    for (const result of await runToolCalls(mounted, tools, catalog, context)) {
      yield { toolResult: result };
      const { id: toolCallId, content, isError } = result;
      added.push({ role: 'tool', toolCallId, content, ...(isError && { isError }) });
    }
    if (mounted.length < calls.length) return end();
  }
}

type ToolChoice = NonNullable<ToolChatInput['toolChoice']>;

/** A call can be forced only in the first step: otherwise the loop would never end. */
function choiceOf(choice: ToolChoice, { mounted }: LoopTools, stepsBefore: number): ToolChoice {
  if (typeof choice === 'string') return choice === 'required' && stepsBefore > 0 ? 'auto' : choice;
  if (stepsBefore > 0) return 'auto';
  const [name = choice.name] = [...mounted].find(([, { id }]) => id === choice.name) ?? [];
  return { name };
}
