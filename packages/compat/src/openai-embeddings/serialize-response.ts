import { endianness } from 'node:os';
import type { JsonObject } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import type { EncodingFormat } from './parse-request.ts';

/** The vectors of all texts of a request, in their order. */
export interface EmbeddingsAnswer {
  /** `<provider>/<model_name>` */
  readonly model: string;
  readonly embeddings: readonly (readonly number[])[];
  readonly tokens: number;
}

type Embedding = Omit<OpenAI.Embedding, 'embedding'> & { embedding: readonly number[] | string };
type Response = Omit<OpenAI.CreateEmbeddingResponse, 'data'> & { data: Embedding[] };

/** The body of the response to an embedding request. */
export function serializeEmbeddings(
  { model, embeddings, tokens }: EmbeddingsAnswer,
  format: EncodingFormat = 'float',
): JsonObject {
  const response: Response = {
    object: 'list',
    data: embeddings.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? base64Of(vector) : vector,
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
  return response as unknown as JsonObject;
}

const isBigEndian = endianness() === 'BE';

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return (isBigEndian ? bytes.swap32() : bytes).toString('base64');
}
