import {
  countTokens,
  errorEvent,
  mapError,
  parseCountTokensRequest,
  parseMessagesRequest,
  readOriginalCount,
  readOriginalMessages,
  serializeMessage,
  writeMessageStream,
} from '@patchbay/compat/anthropic-messages';
import { defineOperation, rawBodyOf } from '../operation.ts';
import type { ApiFormat } from '../output/api-format.ts';
import { forwardedReply } from '../output/forwarded-reply.ts';
import { warningHeader } from '../output/warning-header.ts';
import { eventStreamType } from '../output/wire.ts';
import { callHeaders, compatibleCall, compatibleChat, limitBytes, once, turnBetween } from './compatible-call.ts';

export const anthropicFormat: ApiFormat = {
  mark: 'anthropic-version',
  requestIdHeader: 'Request-Id',
  failure: mapError,
  failureSchema: 'AnthropicError',
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
  failureEvent: errorEvent,
};

/** Sent by clients that use betas. Which ones is in the header `anthropic-beta`. */
export const betaQuery = {
  type: 'string',
  enum: ['true'],
  description: 'Accepted from clients that use betas, without effect.',
} as const;

const base = { ...compatibleCall, query: { beta: betaQuery }, formats: [anthropicFormat] } as const;

const createMessage = defineOperation({
  ...base,
  ...compatibleChat,
  id: 'createMessage',
  path: '/v1/messages',
  summary: "Continue a conversation, in the format of Anthropic's API",
  description:
    'For clients of Anthropic, such as Claude Code, with another base URL. `model` is any model of any provider, a bare ' +
    'name that one provider has, `auto`, or `fn/<name>`, the stored function of this name. What the model cannot do is ' +
    'refused; what is left out is in `Patchbay-Warning`. `routing` is accepted as in `POST /chat`.',
  body: rawBodyOf({ schema: 'MessageRequest', limitBytes }),
  success: {
    ...base.success,
    description: 'The message.',
    schema: 'AnthropicMessage',
    streams:
      'those of Anthropic, from `message_start` on. `message_stop` ends a complete stream only: a failure is `error`, and ' +
      'nothing follows.',
  },
  async handle({ body, header, context }, { services: { gateway } }) {
    const { choice, original } = readOriginalMessages({ ...body, header });
    await turnBetween(body);
    const parse = once(() => parseMessagesRequest(body.json));
    const request = { ...choice, original, translate: () => parse().input };
    if (!original.stream) {
      const answer = await gateway.relayChat(request, context);
      if ('forwarded' in answer) return forwardedReply(answer);
      return { json: serializeMessage(answer), headers: callHeaders(answer, parse()) };
    }
    const answer = await gateway.relayStreamedChat(request, context);
    if ('forwarded' in answer) return forwardedReply(answer);
    const { events, ...head } = answer;
    const parsed = parse();
    const { input_tokens: inputTokens } = countTokens(parsed).body;
    const stream = writeMessageStream(head, events.batches, { inputTokens });
    return { stream, mediaType: eventStreamType, headers: callHeaders(head, parsed) };
  },
});

const countMessageTokens = defineOperation({
  ...base,
  id: 'countMessageTokens',
  path: '/v1/messages/count_tokens',
  summary: "Count the tokens of a message, in the format of Anthropic's API",
  description:
    'For models of Anthropic, its own count, which is free. For others an estimate, without asking a model; ' +
    '`Patchbay-Warning` says so.',
  body: rawBodyOf({ schema: 'CountTokensRequest', limitBytes }),
  success: { ...base.success, description: 'The count.', schema: 'TokenCount' },
  errors: [...compatibleCall.errors, 'schema_invalid'],
  async handle({ body, header, context }, { services: { gateway } }) {
    const { choice, original } = readOriginalCount({ ...body, header });
    const counted = await gateway.relayTokenCount({ ...choice, original }, context);
    if (counted) return forwardedReply(counted);
    const { body: count, warnings } = countTokens(parseCountTokensRequest(body.json));
    return { json: count, headers: warningHeader(warnings) };
  },
});

export const anthropicOperations = [createMessage, countMessageTokens];
