import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ToolCall } from '@patchbay/contracts/provider';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import type { ToolResultPiece } from '../gateway-service.ts';
import type { LoopTools } from './loop-tools.ts';

/** Calls of one message that are run; further ones fail. */
const MOST_CALLS = 32;
const FAULTS_SHOWN = 10;

type CalledTool = ToolResultPiece['toolResult'];

/**
 * Run calls of one message at the same time, and return their results in the order of the calls. A failure is a result
 * as well, so that the model can correct its call or do without it.
 *
 * @throws The reason of the signal.
 */
export async function runToolCalls(
  calls: readonly ToolCall[],
  { mounted }: Pick<LoopTools, 'mounted'>,
  catalog: ToolCatalog,
  context: RequestContext,
): Promise<readonly CalledTool[]> {
  return await Promise.all(
    calls.map(async ({ id, name, arguments: given }, index) => {
      const tool = mounted.get(name);
      const failed = (content: string): CalledTool => ({ id, name, content, isError: true });
      if (!tool) return failed(`There is no tool "${name}".`);
      if (index >= MOST_CALLS) return failed(`At most ${MOST_CALLS} tools can be called at a time.`);
      try {
        const { text, isError } = await catalog.call(tool, given, context);
        return { id, name, content: text === '' ? 'The tool returned nothing.' : text, ...(isError && { isError }) };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!PatchbayError.is(error)) context.logger.error('a tool failed', { tool: tool.id, error });
        return failed(describe(error));
      }
    }),
  );
}

function describe(error: unknown): string {
  if (!PatchbayError.is(error)) return 'The tool failed.';
  const faults = error.errors.slice(0, FAULTS_SHOWN).map(({ pointer, detail }) => `${pointer} ${detail}`);
  return faults.length === 0 ? error.message : `${error.message}: ${faults.join('; ')}`;
}
