import { fieldsOf } from '@patchbay/core/provider';
import type { UpstreamRequest } from '../upstream-request.ts';
import { member, objectsIn } from './dialect.ts';

/** Why the Gemini API would not take the body of a request, in its words. */
export function googleRequestFault(request: UpstreamRequest): string | undefined {
  let calls = 0;
  for (const { role = 'user', parts } of objectsIn(member(request, 'contents'))) {
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
    const kinds = objectsIn(parts).map((part) => Object.keys(part));
    const count = (kind: string): number => kinds.filter((names) => names.includes(kind)).length;
    if (count('functionResponse') !== calls) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    calls = count('functionCall');
  }
  const { stopSequences, seed } = fieldsOf(member(request, 'generationConfig')) ?? {};
  if (Array.isArray(stopSequences) && stopSequences.length > 5) return 'Only 5 stop sequences are allowed.';
  return seed === undefined || Number.isInteger(seed)
    ? undefined
    : 'Invalid value at generation_config.seed (TYPE_INT32).';
}
