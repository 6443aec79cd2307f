import type { ErrorDetail } from '@patchbay/contracts/errors';
import type { Message } from '@patchbay/contracts/message';
import type { ChatRequest, Tool } from '@patchbay/contracts/provider';
import { toolCallsOf } from '@patchbay/outbound/provider-kit/message-content';

/**
 * The faults of a conversation in which a tool call does not have its result in the messages right after it. All vendors refuse
 * these, and their refusal would look like a failure of theirs.
 */
export function* toolTurnFaults(messages: readonly Message[]): Generator<ErrorDetail> {
  /** Calls without a result so far, and the message that has them. */
  let open = new Set<string>();
  let caller = 0;
  const missing = function* (): Generator<ErrorDetail> {
    for (const id of open) {
      const detail = `has the tool call ${shown(id)}, whose result is not in the next messages`;
      yield { pointer: `/messages/${caller}`, code: 'missing_result', detail };
    }
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue;
    if (message.role === 'tool') {
      if (open.delete(message.toolCallId)) continue;
      const detail = 'is the id of no tool call in the messages right before';
      yield { pointer: `/messages/${index}/toolCallId`, code: 'unknown_call', detail };
      continue;
    }
    yield* missing();
    caller = index;
    open = new Set(message.role === 'assistant' ? toolCallsOf(message.content).map(({ id }) => id) : []);
  }
  yield* missing();
}

const shown = (id: string): string => JSON.stringify(id.slice(0, 80));

/** The fault of a choice of tool that no response can follow. */
export function toolChoiceFault(
  choice: NonNullable<ChatRequest['toolChoice']>,
  tools: readonly Tool[] = [],
): ErrorDetail | undefined {
  if (choice === 'auto' || choice === 'none') return undefined;
  if (tools.length === 0) return { pointer: '/toolChoice', code: 'required', detail: 'needs tools' };
  if (choice === 'required' || tools.some(({ name }) => name === choice.name)) return undefined;
  return { pointer: '/toolChoice/name', code: 'unknown_tool', detail: 'is not the name of a tool of the request' };
}
