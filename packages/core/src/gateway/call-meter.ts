import type { Clock } from '../contracts/clock.ts';
import type { PatchbayError } from '../contracts/errors.ts';
import type { AdmittedRequest } from './circuit-breaker.ts';
import type { Deployment, Deployments } from './deployments.ts';
import { faultPolicy } from './fault-policy.ts';

/** Follows one call of one model, and tells its deployment how it ended. Only the first end counts. */
export interface CallMeter {
  firstToken(): void;
  succeeded(outputTokens: number): void;
  failed(error: PatchbayError): void;
  /** The caller left: that says nothing about the model. */
  abandoned(): void;
}

/** Without a Retry-After, a model that limits us is left alone for as long as this. */
const DEFAULT_COOL_DOWN_MS = 2_000;

export function createCallMeter(
  { deployments, clock }: { readonly deployments: Deployments; readonly clock: Clock },
  model: { readonly id: string; readonly provider: string },
  admitted: AdmittedRequest,
): CallMeter {
  const { breaker, observations }: Deployment = deployments.of(model.id);
  const startedAt = clock.monotonic();
  let firstTokenMs: number | undefined;
  let over = false;
  observations.started();

  const end = (tell: () => void): void => {
    if (over) return;
    over = true;
    tell();
  };

  return {
    firstToken() {
      firstTokenMs ??= clock.monotonic() - startedAt;
    },
    succeeded(outputTokens) {
      end(() => {
        admitted.succeeded();
        const totalMs = clock.monotonic() - startedAt;
        const first = firstTokenMs === undefined ? {} : { firstTokenMs };
        observations.ended({ failed: false, totalMs, outputTokens, ...first });
      });
    },
    failed(error) {
      end(() => {
        const { breaker: verdict } = faultPolicy(error);
        // Of many requests that were under way when the model fell ill, the later ones say nothing new.
        const isNews = verdict !== 'released' && breaker.state() !== 'open';
        observations.ended(isNews ? { failed: true } : undefined);
        if (verdict === 'failed') admitted.failed();
        else if (verdict === 'trip') breaker.trip();
        else if (verdict === 'trip-provider')
          for (const other of deployments.ofProvider(model.provider)) other.breaker.trip();
        else if (verdict === 'cool-down') breaker.coolDown((error.retryAfter ?? 0) * 1_000 || DEFAULT_COOL_DOWN_MS);
        else admitted.released();
      });
    },
    abandoned() {
      end(() => {
        admitted.released();
        observations.ended();
      });
    },
  };
}
