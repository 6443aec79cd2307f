import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Candidate } from '@patchbay/core/plugin';
import { routerConformance, testContext } from '@patchbay/testing';
import plugin from './index.ts';

const create = (prefer: readonly string[] = []) =>
  plugin.definition.create({
    config: { prefer },
    deps: {},
    logger: testContext().logger,
    mount: 'router',
    directory: '.',
  });

routerConformance({ describe, it }, { create, capabilities: plugin.definition.capabilities ?? [] });

void describe('the rules', () => {
  void it('take precedence over prices', async () => {
    const candidate = (id: string, price: number): Candidate => ({
      id,
      info: { name: id, capabilities: ['chat'], pricing: { input: price, output: price } },
      observed: { failureRate: 0, inFlight: 0 },
    });
    const candidates = [candidate('cheap/a', 1), candidate('dear/b', 50), candidate('house/c', 90)];
    const request = { optimize: 'balanced', inputTokens: 10 } as const;
    const ranked = await create(['house']).route(request, candidates, () => 0, testContext());
    assert.deepEqual(
      ranked.map(({ id }) => id),
      ['house/c', 'cheap/a', 'dear/b'],
    );
  });
});
