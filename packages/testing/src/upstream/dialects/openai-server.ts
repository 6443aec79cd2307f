import type { UpstreamRequest } from '../upstream-request.ts';
import type { Dialect } from './dialect.ts';
import { openaiChat } from './openai.ts';
import { openaiResponses } from './openai-responses.ts';

const apiOf = ({ path }: UpstreamRequest): Dialect => (path.startsWith('/v1/responses') ? openaiResponses : openaiChat);

/** OpenAI's server, with both of its APIs. */
export const openai: Dialect = {
  ...openaiChat,
  refuse: (request) => apiOf(request).refuse(request),
  answer: (request, answer) => apiOf(request).answer(request, answer),
  errorEvent: (message, request) => apiOf(request).errorEvent(message, request),
};
