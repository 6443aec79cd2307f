import { createAuthenticate } from '../access/authenticate.ts';
import type { CompleteConfig } from '../config/check-app-config.ts';
import type { Authenticator } from '../contracts/authenticator.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Executor } from '../contracts/executor.ts';
import type { RootSecret } from '../contracts/root-secret.ts';
import type { Storage } from '../contracts/storage.ts';
import { createExecutionService } from '../functions/create-execution-service.ts';
import { createFunctionService } from '../functions/create-function-service.ts';
import { createCursorCodec } from '../functions/cursor.ts';
import { createSchemaCache } from '../functions/schema-cache.ts';
import type { App } from './app.ts';

/** What the services are made of, once everything has started. */
export interface ServiceParts {
  readonly storage: Storage;
  readonly executor: Executor | undefined;
  readonly authenticators: readonly Authenticator[];
  readonly rootSecret: RootSecret;
  readonly clock: Clock;
  readonly executions: CompleteConfig['executions'];
  /** Aborts when the drain deadline has passed. */
  readonly stopping: AbortSignal;
}

/** The services of an app: the one place where they are made and handed to each other. */
export function composeServices(parts: ServiceParts): Pick<App, 'functions' | 'executions' | 'authenticate'> {
  const { storage, executor, clock, stopping } = parts;
  const { timeoutMs, outputBytes, logBytes } = parts.executions;
  const functionParts = {
    storage,
    executor,
    clock,
    schemas: createSchemaCache(),
    cursors: createCursorCodec(parts.rootSecret),
  };
  const limits = { wallMs: timeoutMs, outputBytes, logBytes };
  return {
    functions: createFunctionService(functionParts),
    executions: createExecutionService({ ...functionParts, limits, stopping }),
    authenticate: createAuthenticate(parts.authenticators),
  };
}
