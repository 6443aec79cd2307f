import type { ErrorCode } from '../contracts/error-codes.ts';
import type { Sampling } from '../contracts/provider.ts';
import type { CatalogModel } from './model-catalog.ts';
import type { Requirements } from './requirements.ts';

/** Why a model cannot serve a request. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly reason: string;
  /** The parameter at fault, where there is one. */
  readonly parameter?: keyof Sampling;
}

/**
 * Decide whether a model can serve a request at all. Done here and not by routers, so that no router can send a prompt
 * to a provider that the caller denied.
 */
export function refusalOf({ info, provider }: CatalogModel, needs: Requirements): Refusal | undefined {
  const { allow, deny } = needs.routing.providers ?? {};
  if (deny?.includes(provider)) return mismatch(`the provider ${provider} is denied by the request`);
  if (allow && !allow.includes(provider)) return mismatch(`the provider ${provider} is not allowed by the request`);

  const missing = needs.capabilities.filter((capability) => !info.capabilities.includes(capability));
  if (missing.length > 0) return mismatch(`lacks ${missing.join(', ')}`);

  return tooDear(info, needs.routing.maxPrice) ?? refusedParameter(info, needs.sampling) ?? tooLong(info, needs);
}

/** Neither price may be above the limit: a model of cheap answers can have dear questions, and embeddings have no other. */
function tooDear({ pricing }: CatalogModel['info'], maxPrice: number | undefined): Refusal | undefined {
  if (maxPrice === undefined) return undefined;
  if (!pricing) return mismatch('has no known price');
  for (const kind of ['input', 'output'] as const) {
    if (pricing[kind] > maxPrice) return mismatch(`costs ${pricing[kind]} USD per 1M ${kind} tokens`);
  }
  return undefined;
}

function refusedParameter(info: CatalogModel['info'], sampling: Sampling): Refusal | undefined {
  const parameter = info.unsupported?.find((name) => sampling[name] !== undefined);
  if (parameter) return { code: 'unsupported_parameter', reason: `does not support ${parameter}`, parameter };
  const { maxTokens, temperature } = sampling;
  if (maxTokens !== undefined && info.maxTokens !== undefined && maxTokens > info.maxTokens) {
    const reason = `makes at most ${info.maxTokens} tokens`;
    return { code: 'unsupported_parameter', reason, parameter: 'maxTokens' };
  }
  if (temperature !== undefined && info.maxTemperature !== undefined && temperature > info.maxTemperature) {
    const reason = `supports a temperature of at most ${info.maxTemperature}`;
    return { code: 'unsupported_parameter', reason, parameter: 'temperature' };
  }
  return undefined;
}

function tooLong(info: CatalogModel['info'], needs: Requirements): Refusal | undefined {
  if (info.contextWindow === undefined || needs.leastInputTokens <= info.contextWindow) return undefined;
  return { code: 'context_length_exceeded', reason: `has a context of ${info.contextWindow} tokens` };
}

const mismatch = (reason: string): Refusal => ({ code: 'model_capability_mismatch', reason });
