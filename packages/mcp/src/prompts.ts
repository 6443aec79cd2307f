import {
  type GetPromptRequest,
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { App } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';

const PAGE = 100;
const FRESH_MS = 60_000;

/** The prompts of functions that a model implements. */
export async function listPrompts(
  cursor: string | undefined,
  context: RequestContext,
  { services }: App,
): Promise<ListPromptsResult> {
  const page = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
  const { rows, nextCursor } = await services.functionPrompts.list(page, context);
  return {
    prompts: rows.map(({ name, source, arguments: taken }) => ({
      name,
      title: source.name,
      ...(source.description !== '' && { description: source.description }),
      arguments: [...taken],
    })),
    ttlMs: FRESH_MS,
    cacheScope: 'private',
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

/** The conversation of a prompt. The protocol has no role for instructions: they become the first user message. */
export async function getPrompt(
  { name, arguments: given = {} }: GetPromptRequest['params'],
  context: RequestContext,
  { services }: App,
): Promise<GetPromptResult> {
  const messages = await services.functionPrompts.get(name, given, context);
  if (!messages) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name.slice(0, 200)}`);
  return {
    messages: messages.map(({ role, content }) => ({
      role: role === 'assistant' ? role : 'user',
      content: { type: 'text', text: typeof content === 'string' ? content : JSON.stringify(content) },
    })),
  };
}
