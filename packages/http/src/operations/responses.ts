import {
  completeItems,
  errorEvent,
  mapError,
  parseResponsesRequest,
  referencedIds,
  serializeResponse,
  writeResponseStream,
} from '@patchbay/compat/openai-responses';
import { defineOperation, rawBodyOf } from '../operation.ts';
import type { ApiFormat } from '../output/api-format.ts';
import { eventStreamType } from '../output/wire.ts';
import { callHeaders, compatibleCall, compatibleChat, limitBytes } from './compatible-call.ts';

const responsesFormat: ApiFormat = {
  requestIdHeader: 'X-Request-Id',
  failure: (error) => mapError(error),
  failureSchema: 'OpenAiError',
  failureEvent: errorEvent,
};

export const createResponse = defineOperation({
  ...compatibleCall,
  ...compatibleChat,
  formats: [responsesFormat],
  id: 'createResponse',
  path: '/v1/responses',
  summary: "Continue a conversation, in the format of OpenAI's Responses API",
  description:
    'For clients of the Responses API with another `base_url`. Responses are not stored: each request has the whole ' +
    'conversation, in which items that this server returned within the last hour can be named by `item_reference`. ' +
    '`previous_response_id`, `background` and tools that OpenAI runs are refused with `param`.',
  body: rawBodyOf({ schema: 'ResponsesRequest', limitBytes }),
  success: {
    ...compatibleCall.success,
    description: 'The response.',
    schema: 'ResponseObject',
    streams:
      'the events of OpenAI, with their names and `sequence_number`. `response.completed` or `response.incomplete` and ' +
      '`[DONE]` end a complete stream only; one that fails ends with `response.failed` and `error`.',
  },
  async handle({ body, context }, { services: { gateway, keptItems } }) {
    const { tenant } = context.caller;
    const parsed = parseResponsesRequest(body.json, await keptItems.find(tenant, referencedIds(body.json)));
    if (!parsed.stream) {
      const answer = await gateway.chat(parsed.input, context);
      await keptItems.keep(tenant, completeItems(answer));
      return { json: serializeResponse(answer, { ...parsed, now: Date.now() }), headers: callHeaders(answer, parsed) };
    }
    const { events, ...head } = await gateway.streamChat(parsed.input, context);
    const onComplete = (items: Parameters<typeof keptItems.keep>[1]) => keptItems.keep(tenant, items);
    // The request names no tools of mounted servers, so that there are no results of any.
    const pieces = events as Parameters<typeof writeResponseStream>[1];
    const stream = writeResponseStream(head, pieces, { ...parsed, now: Date.now, onComplete });
    return { stream, mediaType: eventStreamType, headers: callHeaders(head, parsed) };
  },
});
