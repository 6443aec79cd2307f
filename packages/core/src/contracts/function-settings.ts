import type { JsonObject } from './json.ts';
import type { Sampling } from './provider.ts';
import type { RoutingOptions } from './router.ts';

/** One input, and the output that is right for it. */
export interface FunctionExample {
  readonly input: JsonObject;
  readonly output: JsonObject;
}

/**
 * What a function asks of models, kept on the server so that applications need not know it: which model, with what
 * words and with what sampling. All of it may be left out.
 */
export interface FunctionSettings extends Sampling {
  /** `<provider>/<model_name>`; absent or `auto`: the gateway chooses. */
  readonly model?: string;
  /** How the model is chosen. */
  readonly routing?: RoutingOptions;
  /** System prompt. Default: the name and the description of the function. */
  readonly system?: string;
  /**
   * What the model is asked. `{{input}}` stands for the whole input as JSON, `{{input.text}}` for a member of it,
   * `{{name}}` and `{{description}}` for those of the function. Default: the input as JSON.
   */
  readonly prompt?: string;
  /** Shown to the model before the question. */
  readonly examples?: readonly FunctionExample[];
  /** How often a model is shown what is wrong with its answer before the next model is asked. Default 2. */
  readonly repairs?: number;
  /** Seconds for which an equal call is answered again without a model. Default 0: never. */
  readonly cacheSeconds?: number;
}
