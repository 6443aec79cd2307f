import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { OutputWatcher } from '@patchbay/contracts/executor';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { ChatResult, Provider } from '@patchbay/contracts/provider';
import { contentText } from '@patchbay/outbound/provider-kit/message-content';
import { failedStep, noteRejected, noteStep } from '../../usage/call-records.ts';
import { type Conversation, resultOf, showModel } from '../ask-model.ts';
import type { ModelCall } from '../attempt.ts';
import { objectStrategy } from './object-strategy.ts';

/** A valid object, with all completions that it took. */
export interface AskedObject {
  readonly object: JsonObject;
  readonly results: readonly ChatResult[];
  readonly warnings: readonly string[];
}

/** A request for an object. */
export interface ObjectTask {
  readonly conversation: Conversation;
  readonly output: Schema;
  /** Name of the object if a model returns it by a tool call. */
  readonly outputName: string;
  readonly faultsOf: (object: JsonObject) => Promise<readonly ErrorDetail[]>;
  /** Maximum number of repairs. */
  readonly repairs: number;
  readonly watcher: OutputWatcher | undefined;
}

const SHOWN_FAULTS = 10;

/**
 * Generate an object with one model. A completion that does not match the schema, or is not JSON, is returned
 * to the model with its errors, up to `repairs` times.
 *
 * @throws PatchbayError `function_output_invalid` with the last errors, so that a fallback is possible.
 */
export async function askForObject(provider: Provider, task: ObjectTask, call: ModelCall): Promise<AskedObject> {
  const { conversation, output, outputName, faultsOf, repairs, watcher } = task;
  const { notes } = call.deadline.context;
  const strategy = objectStrategy(call.model.info, outputName, output);
  const ask = async (request: Conversation): Promise<ChatResult> => {
    let text = '';
    return await resultOf(showModel(provider, request, call, watcher && strategy.written), (pieces) => {
      text += pieces.join('');
      watcher?.wrote(text);
    });
  };
  const results: ChatResult[] = [];
  let { messages } = conversation;
  let faults: readonly ErrorDetail[] = [];
  for (let round = 0; round <= repairs; round += 1) {
    const reason =
      round === 0 ? 'the model failed; another attempt begins' : 'the answer did not fit; the model is asked again';
    watcher?.restarted(reason);
    const from = notes?.now() ?? 0;
    const result = await ask(strategy.request({ ...conversation, messages }));
    results.push(result);
    const answer = await strategy.read(result);
    faults = answer.object ? await faultsOf(answer.object) : [unreadable(result, answer.fault)];
    if (answer.object && faults.length === 0) {
      return { object: answer.object, results, warnings: warningsOf(round, answer.repaired) };
    }
    const step = failedStep('repair', call.model.id, misfit(faults));
    noteStep(notes, from, step);
    noteRejected(notes, call.model.id, answer.object ?? contentText(result.content), step);
    messages = [...messages, ...strategy.correct(result, sentence(faults))];
  }
  throw misfit(faults);
}

const misfit = (errors: readonly ErrorDetail[]): PatchbayError =>
  new PatchbayError('function_output_invalid', 'the model returned no output that matches the schema', { errors });

function unreadable({ finishReason }: ChatResult, fault: string): ErrorDetail {
  const cut = finishReason === 'length' ? ', which was cut at the limit of tokens' : '';
  return { pointer: '/output', code: 'invalid_json', detail: `${fault}${cut}` };
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
