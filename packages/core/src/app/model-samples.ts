import type { Sample } from '../contracts/telemetry.ts';
import type { Deployments } from '../gateway/deployments.ts';

const opened = { closed: 0, 'half-open': 0.5, open: 1 } as const;

/** How the models are that can be asked. */
export function modelSamples(deployments: Deployments): readonly Sample[] {
  return deployments.all().flatMap(([id, { breaker, observations }]) => {
    const slash = id.indexOf('/');
    const attributes = { 'gen_ai.provider.name': id.slice(0, slash), 'gen_ai.request.model': id.slice(slash + 1) };
    return [
      { name: 'patchbay.model.active', value: observations.read().inFlight, attributes },
      { name: 'patchbay.model.circuit.open', value: opened[breaker.state()], attributes },
    ];
  });
}
