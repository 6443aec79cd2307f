import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertDeletion, assertMembers, assertProblem, rowsOf } from '../expect-answer.ts';
import { withFunction } from '../sample-function.ts';

const missing = '/functions/function_00000000000000000000000000/dataset';

const example = {
  id: 'two-sentences',
  input: { text: 'One. Two.' },
  expected: { summary: 'One', points: ['One', 'Two.'] },
};

/** A function with an example. */
async function withExample(api: ApiClient, use: (path: string) => Promise<void>): Promise<void> {
  await withFunction(api, {}, async (path) => {
    const body = { examples: [example] };
    const { status, body: report, text } = await api.ask('POST', `${path}/dataset`, { body });
    assert.equal(status, 200, text);
    assert.deepEqual(report, { added: 1, changed: 0, unchanged: 0 });
    await use(`${path}/dataset`);
  });
}

export function datasetOperations({ describe, it }: ApiSuite): void {
  describe('datasets', () => {
    it('importDataset adds all examples or none, as JSON or as lines', async (api) => {
      const body = { examples: [example, { input: {} }] };
      assertProblem(await api.ask('POST', missing, { body }), 404, 'function_not_found');
      await withExample(api, async (path) => {
        assertProblem(await api.ask('POST', path, { body }), 400, 'invalid_request', '/examples/1/input/text');
        const raw = `${JSON.stringify(example)}\n${JSON.stringify({ input: { text: 'Three.' } })}\n`;
        const lines = await api.ask('POST', path, { raw, headers: { 'content-type': 'application/jsonl' } });
        assert.deepEqual(lines.body, { added: 1, changed: 0, unchanged: 1 }, lines.text);
        const changed = { body: { examples: [{ ...example, output: { summary: 'Two' }, scores: { score: 0 } }] } };
        assert.deepEqual((await api.ask('POST', path, changed)).body, { added: 0, changed: 1, unchanged: 0 });
      });
    });

    it('readDataset responds with a page, or with all examples as lines', async (api) => {
      assertProblem(await api.ask('GET', missing), 404, 'function_not_found');
      await withExample(api, async (path) => {
        assertProblem(await api.ask('GET', `${path}?limit=21`), 400, 'invalid_request', '?limit');
        const response = await api.open('GET', path, { headers: { accept: 'application/jsonl' } });
        const text = await response.text();
        assert.equal(response.headers.get('content-type'), 'application/jsonl');
        const [row = {}] = rowsOf(await api.ask('GET', path));
        assertMembers(row, { ...example, output: null, scores: {}, source: 'import' });
        assert.equal(text, `${JSON.stringify(row)}\n`);
      });
    });

    it('deleteExample removes one example', async (api) => {
      await withExample(api, async (path) => {
        assertProblem(await api.ask('DELETE', `${path}/other`), 404, 'example_not_found');
        assertDeletion(await api.ask('DELETE', `${path}/${example.id}`));
        assert.equal(rowsOf(await api.ask('GET', path)).length, 0);
      });
    });

    it('deleteDataset removes all examples', async (api) => {
      assertProblem(await api.ask('DELETE', missing), 404, 'function_not_found');
      await withExample(api, async (path) => {
        assertDeletion(await api.ask('DELETE', path));
        assert.equal(rowsOf(await api.ask('GET', path)).length, 0);
      });
    });
  });
}
