import type { RequestContext } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { ExecutionRow } from '../../contracts/rows.ts';
import type { ExecutionEngine } from './execution-engine.ts';
import { hasEnded } from './execution-states.ts';

/** How often a change is tried against others that change the same execution. It changes a few times in its life. */
const ATTEMPTS = 20;

/**
 * Cancel an execution, and resolve once nothing of it runs any more in this process. One that runs in another process is
 * marked first, and ended by that process when it notices.
 *
 * @throws PatchbayError `execution_not_found`; `conflict` where it has ended in another way.
 */
export async function cancelExecution(
  engine: ExecutionEngine,
  id: string,
  context: RequestContext,
): Promise<ExecutionRow> {
  const { storage } = engine.parts;
  const { tenant } = context.caller;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const row = await storage.get(tenant, 'executions', id);
    if (row === undefined) throw new PatchbayError('execution_not_found', 'there is no execution with this id');
    if (row.status === 'cancelled') return row;
    if (hasEnded(row)) throw new PatchbayError('conflict', `the execution has ended already: ${row.status}`);
    const run = engine.running.get(id);
    if (run !== undefined && row.status === 'running') {
      run.abort('cancel');
      await run.ended;
    } else {
      const closed = await engine.cancel(tenant, row);
      if (closed.status === 'cancelled') return closed;
    }
  }
  throw new PatchbayError('conflict', 'the execution is being changed by too many requests; read it again');
}
