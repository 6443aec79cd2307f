import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext, Trial } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionLimits, Executor } from '@patchbay/contracts/executor';
import type { JsonObject } from '@patchbay/contracts/json';
import type { ExecutionRow, FunctionRow } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import { authorize } from '../../access/callers.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import { completeInput, newExecution } from './new-execution.ts';
import type { PreparedProgram } from './program-source.ts';

interface AdmissionDependencies {
  /** Absent: functions are stored, but cannot be executed. */
  readonly executor: Executor | undefined;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly schemas: SchemaService;
  readonly clock: Clock;
}

/** A validated request to execute a function. */
export interface AdmittedExecution {
  readonly source: FunctionRow;
  readonly runner: Executor;
  /** The row of the execution before its run. */
  readonly row: ExecutionRow;
  /** JSON text of the input, with the defaults of its schema filled in. */
  readonly text: string;
  /** Default: those of the config. */
  readonly limits?: ExecutionLimits;
  /** Only for a program. */
  readonly program?: PreparedProgram;
}

export interface Admission {
  /** @throws PatchbayError `executor_unavailable`. */
  requireExecutor(): Executor;
  /** @throws PatchbayError `executor_unavailable`, `input_invalid`; for trials as `checkTrial`. */
  admit(source: FunctionRow, input: JsonObject, context: RequestContext): Promise<AdmittedExecution>;
}

export function createAdmission({ executor, settings, schemas, clock }: AdmissionDependencies): Admission {
  const requireExecutor = (): Executor => {
    if (executor) return executor;
    throw new PatchbayError('executor_unavailable', 'no executor is configured', { retryAfter: 60 });
  };

  return {
    requireExecutor,
    async admit(source, input, context) {
      const runner = requireExecutor();
      if (context.trial) await checkTrial(source, context.trial, settings, context);
      const { text, changed } = await completeInput(source, input, schemas, context.caller.tenant);
      const row = { ...newExecution(newId('execution'), source, context, clock), input, effectiveInput: changed };
      return { source, runner, row, text };
    },
  };
}

/**
 * Validate what a trial fixes.
 *
 * @throws PatchbayError `invalid_request` for a function with code, `insufficient_scope`, `settings_not_found`.
 */
async function checkTrial(
  { id, code }: FunctionRow,
  { model, settingsVersion }: Trial,
  settings: Pick<SettingsService, 'get'>,
  context: RequestContext,
): Promise<void> {
  if (code !== '' && (model !== undefined || settingsVersion !== undefined)) {
    const fixed = Object.keys(context.trial ?? {}).filter((name) => name !== 'content');
    const errors = fixed.map((name) => ({
      pointer: `/trial/${name}`,
      code: 'unsupported_parameter',
      detail: 'is only for functions that a model runs',
    }));
    throw new PatchbayError('invalid_request', 'the function has code', { errors });
  }
  // Executing a function includes the model of its settings, and no other.
  if (model !== undefined) authorize(context.caller, 'gateway:invoke');
  if (settingsVersion !== undefined) await settings.get(id, { version: settingsVersion }, context);
}
