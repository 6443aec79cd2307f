import {
  type BatchEmbedContentsRequest,
  type EmbedContentRequest,
  type GenerateContentRequest,
  GoogleGenerativeAI,
} from '@google/generative-ai';
import { sdkConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

const chatModel = 'gemini-3.1-flash-lite';
const embeddingModel = 'gemini-embedding-2';

sdkConformance(
  { describe, it },
  {
    dialect: 'google',
    create({ apiKey, baseUrl, timeouts, transport, logger }) {
      const config = { apiKey, baseUrl, timeouts, apiVersion: 'v1beta' };
      const mount = 'providers.google';
      return plugin.definition.create({ config, deps: { transport }, logger, mount, directory: '.' });
    },
    chatModel,
    embeddingModel,
    headers: {},
    baseUrlEnds: [''],
    // The SDK tells its maker about itself, and sends a list of safety settings although it is empty.
    ownHeaders: ['x-goog-api-client', 'accept'],
    ownMembers: ['safetySettings'],
    sdk({ baseUrl, apiKey }) {
      const client = new GoogleGenerativeAI(apiKey);
      const model = (name: string) => client.getGenerativeModel({ model: name }, { baseUrl });
      return {
        chat: (body: GenerateContentRequest) => model(chatModel).generateContent(body),
        stream: async (body: GenerateContentRequest) => (await model(chatModel).generateContentStream(body)).stream,
        embed: (body: EmbedContentRequest | BatchEmbedContentsRequest) =>
          'requests' in body
            ? model(embeddingModel).batchEmbedContents(body)
            : model(embeddingModel).embedContent(body),
      };
    },
  },
);
