import type { PatchbayError } from '../contracts/errors.ts';
import { listOf } from './json-fields.ts';

/**
 * The vector in an upstream's answer: finite numbers, as many as the model's dimensions where these are known.
 *
 * @param fault Makes the error for anything else.
 *
 * @example
 * ```ts
 * import { type JsonFields, readEmbedding, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const vectorOf = (answer: JsonFields, { badAnswer }: UpstreamClient) =>
 *   readEmbedding(answer['embedding'], 1_024, badAnswer);
 * ```
 */
export function readEmbedding(
  value: unknown,
  dimensions: number | undefined,
  fault: (what: string) => PatchbayError,
): readonly number[] {
  const numbers = listOf(value);
  if (!numbers || numbers.length === 0) throw fault('has no vector');
  if (!numbers.every((number) => typeof number === 'number' && Number.isFinite(number))) {
    throw fault('has a vector of something else than numbers');
  }
  if (dimensions !== undefined && numbers.length !== dimensions) {
    throw fault(`has a vector of ${numbers.length} numbers, where the model has ${dimensions}`);
  }
  return numbers as readonly number[];
}
