import type { ModelInfo } from '../contracts/provider.ts';

/** The list price of a model in USD per 1,000,000 tokens; undefined where nobody states one. */
export type PriceList = (vendor: string, model: string) => ModelInfo['pricing'];

/**
 * Prices of the vendors, from a maintained package. Loaded when the first model asks, because the table takes some
 * megabytes. Never fetched from anywhere at run time.
 */
export async function loadPriceList(): Promise<PriceList> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return (vendor, model) => {
    const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, { providerId: vendor })?.model_price;
    const input = basePrice(found?.['input_mtok']);
    // Embedding models have no output and state no price for it.
    const output = basePrice(found?.['output_mtok']) ?? (found && input !== undefined ? 0 : undefined);
    if (input === undefined || output === undefined) return undefined;
    const cacheRead = basePrice(found?.['cache_read_mtok']);
    const cacheWrite = basePrice(found?.['cache_write_mtok']);
    return {
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    };
  };
}

/** Some prices rise with the length of the prompt; the base is the one up to the first step. */
function basePrice(price: unknown): number | undefined {
  if (typeof price === 'number') return price;
  const base = typeof price === 'object' && price !== null && 'base' in price ? price.base : undefined;
  return typeof base === 'number' ? base : undefined;
}
