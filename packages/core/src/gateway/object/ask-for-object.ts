import { type ErrorDetail, PatchbayError } from '../../contracts/errors.ts';
import type { JsonObject } from '../../contracts/json.ts';
import type { ChatRequest, ChatResult } from '../../contracts/provider.ts';
import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { ObjectStrategy } from './object-strategy.ts';

/** An object that fits, with every answer that it took. */
export interface AskedObject {
  readonly object: JsonObject;
  readonly results: readonly ChatResult[];
  readonly warnings: readonly string[];
}

const SHOWN_FAULTS = 10;

/**
 * Have one model answer with an object that fits a schema. An answer that does not fit, or is no JSON at all, is shown
 * to the model with what is wrong, up to `repairs` times.
 *
 * @param chat Asks the model once.
 * @throws PatchbayError `function_output_invalid` with the last faults; so another model may be asked.
 */
export async function askForObject(
  request: Omit<ChatRequest, 'model'>,
  strategy: ObjectStrategy,
  { schema, repairs }: { readonly schema: CompiledSchema; readonly repairs: number },
  chat: (request: Omit<ChatRequest, 'model'>) => Promise<ChatResult>,
): Promise<AskedObject> {
  const results: ChatResult[] = [];
  let { messages } = request;
  let faults: readonly ErrorDetail[] = [];
  for (let round = 0; round <= repairs; round += 1) {
    const result = await chat(strategy.request({ ...request, messages }));
    results.push(result);
    const answer = strategy.read(result);
    faults = faultsOf(result, answer, schema);
    if (answer.object && faults.length === 0) {
      return { object: answer.object, results, warnings: warningsOf(round, answer.repaired) };
    }
    messages = [...messages, ...strategy.correct(result, sentence(faults))];
  }
  throw new PatchbayError('function_output_invalid', 'the model made no answer that fits the output schema', {
    errors: faults,
  });
}

function faultsOf(
  { finishReason }: ChatResult,
  answer: ReturnType<ObjectStrategy['read']>,
  schema: CompiledSchema,
): readonly ErrorDetail[] {
  if (answer.object) return schema.validate(answer.object, '/output');
  const cut = finishReason === 'length' ? ', which was cut at the limit of tokens' : '';
  return [{ pointer: '/output', code: 'invalid_json', detail: `${answer.fault}${cut}` }];
}

function sentence(faults: readonly ErrorDetail[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ pointer, detail }) => `${pointer} ${detail}`);
  return [...shown, ...(faults.length > SHOWN_FAULTS ? [`and ${faults.length - SHOWN_FAULTS} more`] : [])].join('; ');
}

function warningsOf(rounds: number, repaired: boolean): readonly string[] {
  const asked = rounds > 0 ? [`the answer did not fit at first; the model was asked again ${times(rounds)}`] : [];
  return repaired ? [...asked, 'the JSON of the model had to be mended'] : asked;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);
