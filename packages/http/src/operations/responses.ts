import {
  completeItems,
  errorEvent,
  mapError,
  parseResponsesRequest,
  readOriginalCompaction,
  readOriginalResponse,
  referencedIds,
  refuseCompaction,
  serializeResponse,
  writeResponseStream,
} from '@patchbay/compat/openai-responses';
import { defineOperation, rawBodyOf } from '../operation.ts';
import type { ApiFormat } from '../output/api-format.ts';
import { forwardedReply } from '../output/forwarded-reply.ts';
import { eventStreamType, type Streamed } from '../output/wire.ts';
import {
  aboutSubject,
  callHeaders,
  compatibleCall,
  compatibleChat,
  limitBytes,
  once,
  turnBetween,
} from './compatible-call.ts';

const responsesFormat: ApiFormat = {
  requestIdHeader: 'X-Request-Id',
  failure: (error) => mapError(error),
  failureSchema: 'OpenAiError',
  failureEvent: errorEvent,
};

const base = { ...compatibleCall, formats: [responsesFormat] } as const;

const createResponse = defineOperation({
  ...base,
  ...compatibleChat,
  id: 'createResponse',
  path: '/v1/responses',
  summary: "Continue a conversation, in the format of OpenAI's Responses API",
  description:
    'For clients of the Responses API with another `base_url`. For models of OpenAI, the request is forwarded. Responses of ' +
    'other models are not stored: each request has the whole conversation, in which items that this server returned within ' +
    'the last hour can be named by `item_reference`. What the model cannot do is refused with `param`.',
  body: rawBodyOf({ schema: 'ResponsesRequest', limitBytes }),
  success: {
    ...base.success,
    description: 'The response.',
    schema: 'ResponseObject',
    streams:
      'the events of OpenAI, with their names and `sequence_number`. `response.completed` or `response.incomplete` and ' +
      '`[DONE]` end a complete stream only; one that fails ends with `error`.',
  },
  async handle({ body, header, ...sent }, { services: { gateway, keptItems } }) {
    const context = aboutSubject(body, sent.context);
    const { tenant } = context.caller;
    const keep = (items: Parameters<typeof keptItems.keep>[1]) => keptItems.keep(tenant, items);
    const known = await keptItems.find(tenant, referencedIds(body.json));
    const { choice, original, output } = readOriginalResponse({ ...body, header, known });
    await turnBetween(body);
    const parse = once(() => parseResponsesRequest(body.json, known));
    const request = { ...choice, original, translate: () => parse().input };
    if (!original.stream) {
      const answer = await gateway.relayChat(request, context);
      if ('forwarded' in answer) {
        await keep(output() ?? []);
        return forwardedReply(answer);
      }
      const parsed = parse();
      await keep(completeItems(answer, parsed.names));
      return { json: serializeResponse(answer, { ...parsed, now: Date.now() }), headers: callHeaders(answer, parsed) };
    }
    const answer = await gateway.relayStreamedChat(request, context);
    if ('forwarded' in answer) {
      const reply = forwardedReply(answer);
      return 'stream' in reply ? { ...reply, stream: keeping(reply.stream, output, keep) } : reply;
    }
    const { events, ...head } = answer;
    const parsed = parse();
    const stream = writeResponseStream(head, events.batches, { ...parsed, now: Date.now, onComplete: keep });
    return { stream, mediaType: eventStreamType, headers: callHeaders(head, parsed) };
  },
});

/** Stores the items of a forwarded response before the client learns that it is complete. */
async function* keeping(
  stream: Streamed,
  output: ReturnType<typeof readOriginalResponse>['output'],
  keep: (items: NonNullable<ReturnType<typeof output>>) => Promise<void>,
): AsyncGenerator<string | Uint8Array> {
  let isKept = false;
  for await (const piece of stream) {
    const items = output();
    if (items && !isKept) {
      await keep(items);
      isKept = true;
    }
    yield piece;
  }
}

const compactResponse = defineOperation({
  ...base,
  id: 'compactResponse',
  path: '/v1/responses/compact',
  summary: "Compact a conversation, in the format of OpenAI's Responses API",
  description:
    'Forwarded to models of OpenAI, which return items to go on with instead of the conversation. They are encrypted, and ' +
    'only their vendor can read them: for other models, the request is refused with `param`.',
  body: rawBodyOf({ schema: 'CompactionRequest', limitBytes }),
  success: { ...base.success, description: 'The items that replace the conversation.', schema: 'CompactionObject' },
  async handle({ body, header, context }, { services: { gateway, keptItems } }) {
    const known = await keptItems.find(context.caller.tenant, referencedIds(body.json));
    const { choice, original } = readOriginalCompaction({ ...body, header, known });
    const answer = await gateway.relayChat({ ...choice, original, translate: refuseCompaction }, context);
    return 'forwarded' in answer ? forwardedReply(answer) : refuseCompaction();
  },
});

export const responseOperations = [createResponse, compactResponse];
