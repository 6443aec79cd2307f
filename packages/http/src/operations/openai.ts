import {
  errorEvent,
  mapError,
  parseChatRequest,
  readOriginalChat,
  serializeChatAnswer,
  writeChatStream,
} from '@patchbay/compat/openai-chat';
import { parseEmbeddingRequest, readOriginalEmbeddings, serializeEmbeddings } from '@patchbay/compat/openai-embeddings';
import { defineOperation, rawBodyOf } from '../operation.ts';
import type { ApiFormat } from '../output/api-format.ts';
import { forwardedReply } from '../output/forwarded-reply.ts';
import { eventStreamType } from '../output/wire.ts';
import {
  aboutSubject,
  callHeaders,
  compatibleCall,
  compatibleChat,
  limitBytes,
  once,
  turnBetween,
} from './compatible-call.ts';

export const openaiFormat: ApiFormat = {
  requestIdHeader: 'X-Request-Id',
  failure: (error) => mapError(error),
  failureSchema: 'OpenAiError',
  // A comment, which clients skip.
  ping: ': ping\n\n',
  failureEvent: errorEvent,
};

const base = { ...compatibleCall, formats: [openaiFormat] } as const;

const createChatCompletion = defineOperation({
  ...base,
  ...compatibleChat,
  id: 'createChatCompletion',
  path: '/v1/chat/completions',
  summary: "Continue a conversation, in the format of OpenAI's API",
  description:
    'For clients of OpenAI with another `base_url`. `model` is any model of any provider, a bare name that one provider ' +
    'has, `auto`, or `fn/<name>`, the stored function of this name. What the model cannot do is refused with `param`; what ' +
    'is left out is in `Patchbay-Warning`. `routing` is accepted as in `POST /chat`.',
  body: rawBodyOf({ schema: 'ChatCompletionRequest', limitBytes }),
  success: {
    ...base.success,
    description: 'The completion.',
    schema: 'ChatCompletion',
    streams:
      'chunks of OpenAI without a name. `[DONE]` ends a complete stream only: a failure is `{"error": …}`, and nothing ' +
      'follows.',
  },
  async handle({ body, header, ...sent }, { services: { gateway } }) {
    const context = aboutSubject(body, sent.context);
    const { choice, original } = readOriginalChat({ ...body, header });
    await turnBetween(body);
    const parse = once(() => parseChatRequest(body.json));
    const request = { ...choice, original, translate: () => parse().input };
    if (!original.stream) {
      const answer = await gateway.relayChat(request, context);
      if ('forwarded' in answer) return forwardedReply(answer);
      const parsed = parse();
      return { json: serializeChatAnswer(answer, parsed), headers: callHeaders(answer, parsed) };
    }
    const answer = await gateway.relayStreamedChat(request, context);
    if ('forwarded' in answer) return forwardedReply(answer);
    const { events, ...head } = answer;
    const parsed = parse();
    const stream = writeChatStream(head, events.batches, parsed);
    return { stream, mediaType: eventStreamType, headers: callHeaders(head, parsed) };
  },
});

const createEmbeddings = defineOperation({
  ...base,
  id: 'createEmbeddings',
  path: '/v1/embeddings',
  summary: "Make embeddings, in the format of OpenAI's API",
  description:
    'Turns each text into a vector. More texts than the vendor takes at once are sent in several requests. Vectors of ' +
    'different models cannot be compared: name the model that made those you store.',
  body: rawBodyOf({ schema: 'CreateEmbeddingsRequest', limitBytes }),
  success: { ...base.success, description: 'The vectors, in the order of the texts.', schema: 'EmbeddingList' },
  async handle({ body, header, context }, { services: { gateway } }) {
    const { choice, original } = readOriginalEmbeddings({ ...body, header });
    const parse = once(() => parseEmbeddingRequest(body.json));
    const translate = () => {
      const { texts, dimensions } = parse();
      return { ...choice, texts, ...(dimensions !== undefined && { dimensions }) };
    };
    const answer = await gateway.relayEmbedding({ ...choice, original, translate }, context);
    if ('forwarded' in answer) return forwardedReply(answer);
    const parsed = parse();
    return { json: serializeEmbeddings(answer, parsed.encodingFormat), headers: callHeaders(answer, parsed) };
  },
});

export const openaiOperations = [createChatCompletion, createEmbeddings];
