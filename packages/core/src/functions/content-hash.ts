import { createHash } from 'node:crypto';
import type { FunctionInput } from './function-input.ts';

/** SHA-256, in hex, of everything that a caller writes of a function. */
export function contentHash({ name, description, input, output, code }: FunctionInput): string {
  return createHash('sha256')
    .update(JSON.stringify([name, description, input, output, code]))
    .digest('hex');
}
