import { createApp, createRequestContext, PatchbayError } from '@patchbay/core';
import { tenantId } from '@patchbay/core/plugin';
import deno from '@patchbay/executor-deno';
import type { CodeBlock } from './code-blocks.ts';

/** Members that the functions of the documentation take and return. */
const text = { type: 'string' } as const;
const schema = {
  type: 'object',
  properties: { text, city: text, title: text, maxPoints: { type: 'integer' }, points: { type: 'array', items: text } },
} as const;

/**
 * Stores each block as the code of a function, as a reader would. Types are not checked: they follow from schemas that the
 * block does not show.
 *
 * @returns what is wrong, a line for each.
 */
export async function checkFunctions(blocks: readonly CodeBlock[]): Promise<readonly string[]> {
  const executor = { use: deno, with: { typeCheck: 'off', spares: 1, imports: {} } };
  const app = await createApp({ patchbay: 1, executor });
  const caller = { id: 'docs', kind: 'service', tenant: tenantId('docs'), scopes: ['*'] } as const;
  const faults: string[] = [];
  try {
    for (const { code, place } of blocks) {
      const context = createRequestContext({ app, caller, requestId: 'request_docs' });
      try {
        await app.services.functions.create(
          { name: place, description: '', input: schema, output: schema, code },
          context,
        );
      } catch (error) {
        if (!PatchbayError.is(error)) throw error;
        faults.push(...error.errors.map(({ detail }) => `${place}: ${detail}`));
      } finally {
        context.close();
      }
    }
  } finally {
    await app.host.stop(0);
  }
  return faults;
}
