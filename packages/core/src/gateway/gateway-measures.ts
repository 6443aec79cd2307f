import { PatchbayError } from '../contracts/errors.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { FailedAttempt } from './attempt.ts';
import { splitModelId } from './model-catalog.ts';

/** Who decided which model was asked first. */
export type ChosenBy = 'caller' | 'router' | 'order';

/** Counts what became of requests to models, however many models were asked for one. */
export interface GatewayMeasures {
  answered(model: string, chosenBy: ChosenBy, failed: readonly FailedAttempt[]): void;
  unanswered(error: unknown): void;
}

export function createGatewayMeasures({ count }: Pick<Measuring, 'count'>): GatewayMeasures {
  return {
    answered(model, chosenBy, failed) {
      const attributes = { chosen_by: chosenBy, fallback: failed.length > 0 };
      count('patchbay.gateway.answers', 1, { ...attributesOf(model), ...attributes });
      for (const { model: other, code } of failed) {
        if (other === model) continue;
        count('patchbay.gateway.fallbacks', 1, { ...attributesOf(other), 'error.type': code });
      }
    },
    unanswered(error) {
      count('patchbay.gateway.unanswered', 1, {
        'error.type': PatchbayError.is(error) ? error.code : 'internal_error',
      });
    },
  };
}

function attributesOf(id: string) {
  const { provider = '', name = id } = splitModelId(id) ?? {};
  return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': name };
}
