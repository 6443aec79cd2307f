import type { CompleteConfig } from '../config/app-config.ts';
import type { Storage } from '../contracts/storage.ts';
import { createNameResolver, type Resolve } from '../egress/resolve-names.ts';
import type { ExecutionService } from '../functions/execution-service.ts';
import { aiCalls } from '../functions/host-calls/ai-calls.ts';
import { createRunFetch } from '../functions/host-calls/fetch/fetch-call.ts';
import { functionCalls } from '../functions/host-calls/function-calls.ts';
import { createGrants } from '../functions/host-calls/grants.ts';
import { createHostCalls, type OpenHostCallsFor } from '../functions/host-calls/open-host-calls.ts';
import { createGatewayInputCheck } from '../gateway/check-gateway-input.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import type { RequestLimits } from '../limits/request-limits.ts';

export interface HostCallServices {
  readonly config: CompleteConfig['functions'];
  readonly storage: Storage;
  /** Those in force: a run may last longer than a provider's key. */
  readonly limits: () => RequestLimits;
  readonly gateway: () => GatewayService;
  readonly execute: ExecutionService['execute'];
  /** Default: as the system does it, without its threads. */
  readonly resolve?: Resolve;
}

/** Bytes of a call: a request with 3 MiB of body, as base64. */
const FETCH_BYTES = 4_194_304;

/** Everything that running code may ask of its host. */
export function composeHostCalls(services: HostCallServices): OpenHostCallsFor {
  const { config, limits, storage, gateway, execute, resolve = createNameResolver().resolve } = services;
  const common = [...aiCalls(gateway, createGatewayInputCheck()), ...functionCalls(storage, execute)];
  const grantsOf = createGrants(config.grants ?? []);
  const fetchLimits = { timeoutMs: config.fetch.timeoutMs, maxBytes: config.fetch.responseBytes };
  return createHostCalls({
    maxCalls: config.maxCalls,
    limits,
    serve({ row, context }) {
      const { serve, secrets, close } = createRunFetch(grantsOf(row, context.caller.tenant), fetchLimits, resolve);
      return { calls: new Map([...common, ['fetch', { serve, maxBytes: FETCH_BYTES }]]), secrets, close };
    },
  });
}
