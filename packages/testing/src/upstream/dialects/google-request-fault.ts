import { fieldsOf, type JsonFields } from '@patchbay/core/provider';
import type { UpstreamRequest } from '../upstream-request.ts';
import { member, objectsIn } from './dialect.ts';

/**
 * Why the Gemini API would reject the body of a request, in its own words.
 *
 * @param model Name of the model, which is part of the URL.
 */
export function googleRequestFault(request: UpstreamRequest, model: string): string | undefined {
  const contents = objectsIn(member(request, 'contents'));
  return contentsFault(contents) ?? signatureFault(contents, model) ?? configFault(request);
}

function contentsFault(contents: readonly JsonFields[]): string | undefined {
  let calls = 0;
  for (const [index, { role = 'user', parts }] of contents.entries()) {
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
    const objects = objectsIn(parts);
    const empty = objects.findIndex(({ text, thoughtSignature }) => text === '' && thoughtSignature === undefined);
    if (empty >= 0) {
      return `contents[${index}].parts[${empty}].data: required oneof field 'data' must have one initialized field`;
    }
    const count = (kind: string): number => objects.filter((part) => kind in part).length;
    if (count('functionResponse') !== calls) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    calls = count('functionCall');
  }
  return undefined;
}

/** Since Gemini 3, the first call of every step since the last question needs its signature. */
function signatureFault(contents: readonly JsonFields[], model: string): string | undefined {
  if (!/^gemini-[3-9]/.test(model)) return undefined;
  const isQuestion = ({ role, parts }: JsonFields): boolean =>
    role === 'user' && objectsIn(parts).some((part) => !('functionResponse' in part));
  const steps = contents.slice(contents.findLastIndex(isQuestion) + 1);
  const first = steps.map(({ parts }) => objectsIn(parts).find((part) => 'functionCall' in part));
  return first.some((part) => part && part['thoughtSignature'] === undefined)
    ? 'Function call is missing a thought_signature in functionCall parts.'
    : undefined;
}

function configFault(request: UpstreamRequest): string | undefined {
  const { stopSequences, seed } = fieldsOf(member(request, 'generationConfig')) ?? {};
  if (Array.isArray(stopSequences) && stopSequences.length > 5) return 'Only 5 stop sequences are allowed.';
  return seed === undefined || Number.isInteger(seed)
    ? undefined
    : 'Invalid value at generation_config.seed (TYPE_INT32).';
}
