import type { Attributes } from '@patchbay/contracts/telemetry';
import type { ModelOperation } from './model-measures.ts';

/** The labels of the metrics of one model, as the OpenTelemetry conventions name them. */
export interface ModelLabels {
  /** The id of the model, with its provider. */
  readonly id: string;
  readonly attributes: Attributes;
  /** @param errorType Empty if the call succeeded. */
  withError(errorType: string): Attributes;
  withTokens(type: string): Attributes;
}

export type LabelsOf = (operation: ModelOperation, model: string) => ModelLabels;

/** A provider has fewer models; more names than this are not kept. */
const MOST_MODELS = 1_000;

/** The labels of the models of a provider, which are the same for every call. */
export function createModelLabels(provider: string): LabelsOf {
  const known: Readonly<Record<ModelOperation, Map<string, ModelLabels>>> = { chat: new Map(), embeddings: new Map() };
  return (operation, model) => {
    const models = known[operation];
    const found = models.get(model);
    if (found) return found;
    const labels = modelLabels(
      `${provider}/${model}`,
      Object.freeze({
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
      }),
    );
    if (models.size < MOST_MODELS) models.set(model, labels);
    return labels;
  };
}

function modelLabels(id: string, attributes: Attributes): ModelLabels {
  return {
    id,
    attributes,
    withError: createLabels('error.type', attributes),
    withTokens: createLabels('gen_ai.token.type', attributes),
  };
}

/** The attributes with one more. It has few values: our own codes, and kinds of tokens. */
function createLabels(name: string, attributes: Attributes): (value: string) => Attributes {
  const known = new Map<string, Attributes>();
  return (value) => {
    const found = known.get(value);
    if (found) return found;
    const labels = Object.freeze({ ...attributes, [name]: value });
    known.set(value, labels);
    return labels;
  };
}
