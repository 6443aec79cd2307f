import { findRow } from '@patchbay/contracts/base/stored-rows';
import type { RequestContext } from '@patchbay/contracts/context';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Queue } from '@patchbay/contracts/queue';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { SettingsService } from '../../settings/settings-service.ts';
import { type Admission, policyOf, requireRoom } from './admission.ts';
import { settling } from './execution-engine.ts';
import type { ExecutionService } from './execution-service.ts';
import { executionJob, executionTopic, storedPrincipal } from './queued-executions.ts';

interface QueueingDependencies {
  readonly admission: Admission;
  readonly storage: Storage;
  readonly queue: Queue;
  readonly settings: Pick<SettingsService, 'resolve'>;
  /** Maximum number of queued executions per tenant. */
  readonly maxQueued: number;
}

/** The fields that a rerun of the same input needs. */
export const rerunFields = ['id', 'revision', 'functionId', 'input', 'trial', 'deadLetter', 'createdAt'] as const;

type EndedExecution = Pick<ExecutionRow, (typeof rerunFields)[number]>;

/** Puts executions into the queue. */
export interface Queueing {
  readonly enqueue: ExecutionService['enqueue'];
  /**
   * Enqueue an execution with the input of one that has ended, which is settled if it is a dead letter.
   *
   * @returns Undefined if a dead letter is not as it was read.
   * @throws PatchbayError as `enqueue`.
   */
  runAgain(ended: EndedExecution, context: RequestContext): Promise<ExecutionRow | undefined>;
}

export function createQueueing({ admission, storage, queue, settings, maxQueued }: QueueingDependencies): Queueing {
  /** @returns Undefined if the writes before it were refused. */
  const enqueueAfter = async (
    before: readonly Write[],
    functionId: string,
    input: JsonObject,
    context: RequestContext,
  ): Promise<ExecutionRow | undefined> => {
    const { tenant } = context.caller;
    const admitted = await admission.admit(await findRow(storage, 'functions', functionId, context), input, context);
    await requireRoom(storage, tenant, maxQueued);
    const policy = await policyOf(settings, admitted.source, context);
    const row = { ...admitted.row, policy, principal: storedPrincipal(context.caller) };
    const job = queue.write(tenant, executionJob(row.id));
    const result = await storage.commit(tenant, [...before, { insert: 'executions', row }, job]);
    if (result.done) queue.notify(executionTopic);
    else if (result.index >= before.length) throw new Error(`a new id was refused: ${result.reason}`);
    return result.done ? row : undefined;
  };

  return {
    async enqueue(functionId, input, context) {
      // Without writes before it, it is never refused.
      return (await enqueueAfter([], functionId, input, context)) as ExecutionRow;
    },

    async runAgain(ended, context) {
      const { functionId, input, trial } = ended;
      return await enqueueAfter(settling(ended), functionId, input, trial ? { ...context, trial } : context);
    },
  };
}
