import type { Storage } from '@patchbay/contracts/storage';
import { createNameResolver } from '@patchbay/outbound/egress/resolve-names';
import type { CompleteConfig } from '../config/app-config.ts';
import { createRunFetch } from '../functions/host-calls/fetch-call.ts';
import { type GrantsOf, noGrants, type RunGrants } from '../functions/host-calls/grants.ts';
import { createHostCalls, type OpenHostCallsFor, type ServedCalls } from '../functions/host-calls/open-host-calls.ts';
import { aiCalls, findFunctionId, functionCalls } from '../functions/host-calls/served-calls.ts';
import { serveToolCall, TOOL_CALL_BYTES } from '../functions/host-calls/tool-calls.ts';
import { createGatewayInputCheck } from '../gateway/check-gateway-input.ts';
import type { ServicesInForce } from './services.ts';

/** Bytes of a call: a request with 3 MiB of body, as base64. */
const FETCH_BYTES = 4_194_304;

/** The host calls of running code. A run may outlast a reload: each call uses the active services. */
export function composeHostCalls(
  config: CompleteConfig['functions'],
  grantsOf: GrantsOf,
  storage: Storage,
  inForce: ServicesInForce,
): OpenHostCallsFor {
  const { resolve } = createNameResolver();
  const check = createGatewayInputCheck();
  const byName = functionCalls({
    find: (name, context) => findFunctionId(storage, name, context),
    execute: inForce.execute,
  });
  const fetchLimits = { timeoutMs: config.fetch.timeoutMs, maxBytes: config.fetch.responseBytes };
  const withGrants = (grants: RunGrants) => {
    const { serve, secrets, close } = createRunFetch(grants, fetchLimits, resolve);
    const calls: ServedCalls = new Map([
      ...aiCalls(() => inForce.current.models, check, grants.tools),
      ...byName,
      ['fetch', { serve, maxBytes: FETCH_BYTES }],
      ['tools.call', { serve: serveToolCall(() => inForce.current.tools, grants.tools), maxBytes: TOOL_CALL_BYTES }],
    ]);
    return { calls, secrets, close };
  };
  // Rejects every request, so it is stateless, and all runs without grants share it.
  const { calls, secrets } = withGrants(noGrants);
  return createHostCalls({
    maxCalls: config.maxCalls,
    limits: () => inForce.current.api.limits,
    usual: { calls, secrets },
    granted:
      config.grants &&
      (({ row, context }) => {
        const grants = grantsOf(row, context.caller.tenant);
        return grants === noGrants ? undefined : withGrants(grants);
      }),
  });
}
