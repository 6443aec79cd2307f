import { newId } from '@patchbay/contracts/base/type-id';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import type { ReceivedMessage } from '../check-gateway-input.ts';
import type {
  FunctionCallAnswer,
  FunctionCallInput,
  FunctionCallPiece,
  ToolFunctionCallInput,
} from '../gateway-service.ts';
import { DEFAULT_STEPS } from './chat-loop.ts';
import { loopAnswer } from './loop-answer.ts';
import { loopTools } from './loop-tools.ts';
import { runToolCalls } from './run-tool-calls.ts';

/** Requests one call from a model. Yields what is to be shown meanwhile. */
type AskModel<P> = (step: FunctionCallInput) => AsyncGenerator<P, FunctionCallAnswer>;

/**
 * Let a model call tools of mounted servers until it calls one of the caller's functions; in the last step, it can call
 * only those.
 *
 * @throws PatchbayError `invalid_request` if no function is the caller's.
 */
export async function* callLoop<P>(
  input: ToolFunctionCallInput,
  ask: AskModel<P>,
  catalog: ToolCatalog,
  context: RequestContext,
): AsyncGenerator<P | FunctionCallPiece, FunctionCallAnswer> {
  const { toolLoop, functions, ...call } = input;
  const tools = await loopTools(functions, '/functions', catalog, context);
  if (tools.own.length === 0) {
    const detail = 'must have a function of your own, whose call ends the loop';
    throw new PatchbayError('invalid_request', 'the loop has no end', {
      errors: [{ pointer: '/functions', code: 'required', detail }],
    });
  }
  const maxSteps = toolLoop?.maxSteps ?? DEFAULT_STEPS;
  const added: ReceivedMessage[] = [];
  const answers: FunctionCallAnswer[] = [];
  for (;;) {
    const isLast = answers.length + 1 >= maxSteps;
    const messages = [...call.messages, ...added];
    const answer = yield* ask({ ...call, messages, functions: isLast ? tools.own : tools.all });
    answers.push(answer);
    const { name } = answer.functionCall;
    if (!tools.mounted.has(name)) return loopAnswer(answers);
    yield { restart: `the model calls ${name} first` };
    const toolCall = { id: newId('call'), ...answer.functionCall };
    const [result] = await runToolCalls([toolCall], tools, catalog, context);
    const { content = '', isError } = result ?? {};
    added.push(
      { role: 'assistant', content: '', toolCalls: [toolCall] },
      { role: 'tool', toolCallId: toolCall.id, content, ...(isError && { isError }) },
    );
  }
}
