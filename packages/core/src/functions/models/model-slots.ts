import type { GatewayService } from '../../gateway/gateway-service.ts';
import type { RequestLimits } from '../../limits/request-limits.ts';

type Tasks = Pick<GatewayService, 'generateObject'>;

/** Models for functions that a model implements: each call waits for a slot of its caller, as calls of code do. */
export function withModelSlots(gateway: Tasks, limits: Pick<RequestLimits, 'wait'>): Tasks {
  return {
    async generateObject(input, context, watcher) {
      const slot = await limits.wait(context.caller, 'model', context.signal);
      try {
        return await gateway.generateObject(input, context, watcher);
      } finally {
        slot.leave();
      }
    },
  };
}
