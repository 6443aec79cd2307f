import type { ExecutionLimits } from '../contracts/executor.ts';
import type { WebhookOutbox } from '../events/webhook-outbox.ts';
import { createExecutionBackground, type ExecutionBackground } from '../functions/executions/background.ts';
import { ExecutionEngine } from '../functions/executions/execution-engine.ts';
import { InstanceLease } from '../functions/executions/instance-lease.ts';
import { readProcessIdentity } from '../functions/executions/process-identity.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import type { UsageMeter } from '../usage/usage-ledger.ts';
import type { Platform } from './platform.ts';
import type { Services } from './services.ts';
import type { Swap } from './swap.ts';

export interface ComposedExecutions {
  readonly instance: InstanceLease;
  readonly engine: ExecutionEngine;
  readonly background: ExecutionBackground;
}

export interface ExecutionResources {
  readonly platform: Platform;
  readonly schemas: SchemaService;
  readonly meter: UsageMeter;
  readonly outbox: WebhookOutbox;
  readonly leaseMs: number;
  readonly inForce: Swap<Services>;
}

/** Executes functions, on request and in the background. */
export function composeExecutions(resources: ExecutionResources): ComposedExecutions {
  const { platform, schemas, meter, outbox, leaseMs, inForce } = resources;
  const { storage, queue, clock, logger, measuring, stopping } = platform;
  const identity = readProcessIdentity();
  const instance = new InstanceLease({ storage, clock, logger, identity, leaseMs });
  const openHostCalls: Services['openHostCalls'] = (run) => inForce.current.openHostCalls(run);
  const run = { schemas, stopping, openHostCalls };
  const engine = new ExecutionEngine({ storage, clock, logger, instance, meter, measuring, outbox, run });
  const options = () => inForce.current.config.executions;
  const executor = () => inForce.current.executor;
  const limits = () => backgroundLimits(options());
  const requestLimits = () => inForce.current.api.limits;
  const background = createExecutionBackground({ engine, queue, executor, identity, limits, options, requestLimits });
  return { instance, engine, background };
}

function backgroundLimits(options: Services['config']['executions']): ExecutionLimits {
  const { asyncTimeoutMs, outputBytes, logBytes } = options;
  return { wallMs: asyncTimeoutMs, outputBytes, logBytes };
}
