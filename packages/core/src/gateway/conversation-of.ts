import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import { definedMembers } from '@patchbay/outbound/provider-kit/transport-options';
import type { Conversation } from './ask-model.ts';
import { checkMessages } from './check-gateway-input.ts';
import { type CheckedBy, checkTools, declaredTools } from './function-call.ts';
import type { GenerateInput, ToolChatInput } from './gateway-service.ts';
import { samplingOf } from './requirements.ts';

/** @throws PatchbayError `invalid_request` */
export function conversationOf(input: ToolChatInput): Conversation {
  const tools = input.tools && declaredTools(input.tools, '/tools');
  const { toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseSchema, responseJson, extra } = input;
  return {
    messages: checkMessages(input.messages),
    ...samplingOf(input),
    ...definedMembers({ tools, toolChoice, parallelToolCalls, stop, seed, reasoningEffort, responseJson, extra }),
    ...(responseSchema && { responseSchema: resolvedSchema(responseSchema) }),
  };
}

/** @throws PatchbayError `invalid_request`; `schema_invalid` for a schema beyond the profile. */
export function chatConversation(input: ToolChatInput, by: CheckedBy): Conversation | Promise<Conversation> {
  const { tools, responseSchema } = input;
  if (!tools && !responseSchema) return conversationOf(input);
  const others = responseSchema ? [{ schema: responseSchema, pointer: '/responseSchema' }] : [];
  const checked = checkTools(declaredTools(tools ?? [], '/tools'), '/tools', by, others);
  return checked.then(() => conversationOf(input));
}

export function promptOf(input: GenerateInput): Conversation {
  return { messages: [{ role: 'user', content: input.prompt }], ...samplingOf(input) };
}
