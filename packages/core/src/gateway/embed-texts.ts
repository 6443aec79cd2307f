import type { EmbedResult, Provider } from '@patchbay/contracts/provider';
import { checkEmbeddings } from '@patchbay/outbound/provider-kit/provider-result';
import type { ModelCall } from './attempt.ts';

/** Requests of one embedding that are sent at the same time. */
const AT_ONCE = 4;

/**
 * Embed texts with one model, in as many requests as it takes: vendors limit the texts of each.
 *
 * @param dimensions Length of the vectors, for models that can shorten them.
 */
export async function embedTexts(
  provider: Provider,
  texts: readonly string[],
  dimensions: number | undefined,
  { model, deadline }: ModelCall,
): Promise<EmbedResult> {
  const { embedBatch = 1, name } = model.info;
  const embed = async (some: readonly string[]): Promise<EmbedResult> => {
    if (!provider.embed) throw new Error(`${model.id} is listed for embeddings, but its provider has none`);
    const request = { model: name, texts: some, ...(dimensions === undefined ? {} : { dimensions }) };
    return checkEmbeddings(await provider.embed(request, deadline.context), request, model.info, model.provider);
  };
  const batches = Array.from({ length: Math.ceil(texts.length / embedBatch) }, (_, index) =>
    texts.slice(index * embedBatch, (index + 1) * embedBatch),
  );
  const results: EmbedResult[] = [];
  for (let at = 0; at < batches.length; at += AT_ONCE) {
    results.push(...(await Promise.all(batches.slice(at, at + AT_ONCE).map(embed))));
  }
  return {
    embeddings: results.flatMap(({ embeddings }) => embeddings),
    tokens: results.reduce((sum, { tokens }) => sum + tokens, 0),
    warnings: [...new Set(results.flatMap(({ warnings = [] }) => warnings))],
  };
}
