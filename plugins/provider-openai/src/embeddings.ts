import {
  definedMembers,
  type EmbedRequest,
  fieldsOf,
  type JsonFields,
  listOf,
  type ModelInfo,
  type UpstreamClient,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { Preset } from './presets.ts';

/** Texts that OpenAI embeds in one request. developers.openai.com/api/reference/resources/embeddings, 2026-11. */
const OPENAI_BATCH = 2_048;

/** The lowest limit among self-hosted servers, such as text-embeddings-inference by default. */
const LEAST_BATCH = 32;

/** The models, with the number of texts that one request may embed if none is given. */
export function withEmbedBatch(models: ReadonlyMap<string, ModelInfo>, preset?: Preset): Map<string, ModelInfo> {
  return new Map(
    [...models].map(([name, model]): [string, ModelInfo] => {
      if (!model.capabilities.includes('embeddings')) return [name, model];
      const batch = { embedBatch: model.vendor === 'openai' ? OPENAI_BATCH : (preset?.embedBatch ?? LEAST_BATCH) };
      return [name, { ...batch, ...model }];
    }),
  );
}

export function embedBody(model: ModelInfo, { texts, dimensions }: EmbedRequest, preset?: Preset) {
  const [only = '', more] = texts;
  const body: OpenAI.EmbeddingCreateParams = {
    model: model.name,
    // Some servers take one text only.
    input: more === undefined ? only : [...texts],
    ...definedMembers({ [preset?.dimensions ?? 'dimensions']: dimensions }),
    // Always sent: without it, the SDK in many proxies requests base64, which many servers ignore.
    encoding_format: 'float',
  };
  return body;
}

/** The vectors of an answer, still unread, in the order of the texts. */
export function vectorsOf(document: JsonFields, { badAnswer }: UpstreamClient): readonly unknown[] {
  const entries = (listOf(document['data']) ?? []).map((entry) => fieldsOf(entry) ?? {});
  const vectors = new Map(entries.map(({ index, embedding }, place) => [index ?? place, embedding]));
  return entries.map((_, place) => {
    if (!vectors.has(place)) throw badAnswer('has vectors that belong to no text');
    return vectors.get(place);
  });
}
