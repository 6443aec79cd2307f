import type { ExecutionLimits } from '../contracts/executor.ts';
import type { WebhookOutbox } from '../events/webhook-outbox.ts';
import { createExecutionBackground, type ExecutionBackground } from '../functions/executions/background.ts';
import { ExecutionEngine } from '../functions/executions/execution-engine.ts';
import { InstanceLease } from '../functions/executions/instance-lease.ts';
import { readProcessIdentity } from '../functions/executions/process-identity.ts';
import type { RunParts } from '../functions/executions/run-execution.ts';
import type { UsageMeter } from '../usage/usage-meter.ts';
import type { ServiceParts } from './compose-services.ts';

export interface ComposedExecutions {
  readonly engine: ExecutionEngine;
  readonly background: ExecutionBackground;
}

/** What executes functions, and what goes on in the background for it. */
export function composeExecutions(
  parts: ServiceParts &
    Pick<RunParts, 'schemas' | 'openHostCalls'> & {
      readonly meter: UsageMeter;
      readonly outbox: WebhookOutbox;
    },
  /** What is in force. */
  options: () => ServiceParts['executions'],
): ComposedExecutions {
  const { leaseMs } = parts.executions;
  const identity = readProcessIdentity();
  const instance = new InstanceLease({ ...parts, identity, leaseMs });
  const engine = new ExecutionEngine({ ...parts, instance });
  const limits: ExecutionLimits = {
    get wallMs() {
      return options().asyncTimeoutMs;
    },
    get outputBytes() {
      return options().outputBytes;
    },
    get logBytes() {
      return options().logBytes;
    },
  };
  return { engine, background: createExecutionBackground({ ...parts, identity, instance, engine, options, limits }) };
}
