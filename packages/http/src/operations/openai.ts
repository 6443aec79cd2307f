import {
  errorEvent,
  mapError,
  parseChatRequest,
  serializeChatAnswer,
  writeChatStream,
} from '@patchbay/compat/openai-chat';
import { parseEmbeddingRequest, serializeEmbeddings } from '@patchbay/compat/openai-embeddings';
import { defineOperation, rawBodyOf } from '../operation.ts';
import type { ApiFormat } from '../output/api-format.ts';
import { eventStreamType } from '../output/wire.ts';
import { callHeaders, compatibleCall, compatibleChat, limitBytes } from './compatible-call.ts';

export const openaiFormat: ApiFormat = {
  requestIdHeader: 'X-Request-Id',
  failure: (error) => mapError(error),
  failureSchema: 'OpenAiError',
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
  async handle({ body, context }, { services: { gateway } }) {
    const parsed = parseChatRequest(body.json);
    if (!parsed.stream) {
      const answer = await gateway.chat(parsed.input, context);
      return { json: serializeChatAnswer(answer, parsed), headers: callHeaders(answer, parsed) };
    }
    const { events, ...head } = await gateway.streamChat(parsed.input, context);
    const stream = writeChatStream(head, events, parsed);
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
  errors: compatibleCall.errors,
  async handle({ body, context }, { services: { gateway } }) {
    const { choice, texts, dimensions, ...parsed } = parseEmbeddingRequest(body.json);
    const input = { ...choice, texts, ...(dimensions !== undefined && { dimensions }) };
    const answer = await gateway.embedMany(input, context);
    return { json: serializeEmbeddings(answer, parsed.encodingFormat), headers: callHeaders(answer, parsed) };
  },
});

export const openaiOperations = [createChatCompletion, createEmbeddings];
