import type { Schema } from '../contracts/json-schema.ts';
import type { Message, Sampling, Tool } from '../contracts/provider.ts';
import type { RoutingOptions } from '../contracts/router.ts';

/** The part of a request that says which model answers. */
export interface ModelChoice {
  /** `<provider>/<model_name>`; absent or `auto`: the gateway chooses. */
  readonly model?: string;
  readonly routing?: RoutingOptions;
}

export interface ChatInput extends ModelChoice, Sampling {
  readonly messages: readonly Message[];
}

export interface GenerateInput extends ModelChoice, Sampling {
  readonly prompt: string;
}

export interface EmbedInput extends ModelChoice {
  readonly text: string;
}

export interface FunctionCallInput extends ModelChoice {
  readonly messages: readonly Message[];
  /** What the model chooses from: 1 to 128. */
  readonly functions: readonly Tool[];
  readonly temperature?: number;
}

/** A request that is not sent, of which only the choice of a model is asked for. */
export type ExplainInput = (ChatInput | ModelChoice) & {
  /** As for `ObjectInput`: models that did this function badly before come later. */
  readonly functionName?: string;
};

export interface ObjectInput extends ChatInput {
  /** What the answer has to fit: a schema of an object, within the schema profile. */
  readonly output: Schema;
  /** What the object is called where a model hands it over by a tool. Default `answer`. */
  readonly outputName?: string;
  /** The function whose output it is: for the log, and for what is learned of the models that do it. */
  readonly functionName?: string;
  /** How often a model is shown what is wrong with its answer before the next model is asked. Default 2. */
  readonly repairs?: number;
}
