import { definedMembers } from '../provider-kit/transport-options.ts';
import { resolvedSchema } from '../schema/resolve-schema.ts';
import type { Conversation } from './ask-model.ts';
import { checkMessages } from './check-gateway-input.ts';
import { type CheckedBy, checkTools } from './function-call.ts';
import type { ChatInput, GenerateInput } from './gateway-service.ts';
import { samplingOf } from './plan.ts';

/** @throws PatchbayError `invalid_request` */
export function conversationOf(input: ChatInput): Conversation {
  const { tools, toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseSchema, responseJson, extra } =
    input;
  return {
    messages: checkMessages(input.messages),
    ...samplingOf(input),
    ...definedMembers({ tools, toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseJson, extra }),
    ...(responseSchema && { responseSchema: resolvedSchema(responseSchema) }),
  };
}

/** @throws PatchbayError `invalid_request`; `schema_invalid` for a schema beyond the profile. */
export async function chatConversation(input: ChatInput, by: CheckedBy): Promise<Conversation> {
  const { tools = [], responseSchema } = input;
  await checkTools(tools, '/tools', by, responseSchema ? [{ schema: responseSchema, pointer: '/responseSchema' }] : []);
  return conversationOf(input);
}

export function promptOf(input: GenerateInput): Conversation {
  return { messages: [{ role: 'user', content: input.prompt }], ...samplingOf(input) };
}
