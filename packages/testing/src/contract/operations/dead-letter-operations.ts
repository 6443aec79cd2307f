import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, assertProblem, type Row, rowsOf } from '../expect-answer.ts';
import { withFunction } from '../sample-function.ts';

const code = "export default () => {\n  throw new Error('no');\n};\n";
const input = { text: 'One. Two.' };
const missing = 'execution_00000000000000000000000000';

/** A function with a dead letter. */
async function withDeadLetter(api: ApiClient, use: (path: string, letter: Row) => Promise<void>): Promise<void> {
  await withFunction(api, { code }, async (path, { id: functionId }) => {
    const headers = { prefer: 'respond-async' };
    const { body } = await api.ask('POST', `${path}/execute`, { body: { input }, headers });
    const letter = await deadLetterOf(api, functionId);
    assert.equal(letter['id'], body['id']);
    await use(path, letter);
  });
}

/** The newest dead letter of a function, once there is one; only polling can tell. */
async function deadLetterOf(api: ApiClient, functionId: unknown): Promise<Row> {
  for (;;) {
    const [letter] = rowsOf(await api.ask('GET', `/dead-letters?functionId=${String(functionId)}`));
    if (letter) return letter;
    await delay(10);
  }
}

export function deadLetterOperations({ describe, it }: ApiSuite): void {
  describe('dead letters', () => {
    it('listDeadLetters responds with the error and the number of runs', async (api) => {
      const unknown = await api.ask('GET', '/dead-letters?functionId=function_00000000000000000000000000');
      assertProblem(unknown, 404, 'function_not_found');
      await withDeadLetter(api, async (_, letter) => {
        assertMembers(letter, { status: 'failed', functionVersion: 1, attempts: 1 });
        assertMembers(letter['error'] as Row, { code: 'function_threw', message: 'no' });
        assert.deepEqual(rowsOf(await api.ask('GET', '/dead-letters')), [letter]);
        await api.ask('DELETE', `/dead-letters/${String(letter['id'])}`);
      });
    });

    it('rerunDeadLetters queues each once, with the code that is current', async (api) => {
      await withDeadLetter(api, async (path, letter) => {
        const { status, body, text } = await api.ask('POST', `${path}/dead-letters/rerun`);
        assert.equal(status, 202, text);
        const [made, ...others] = body['data'] as readonly Row[];
        assert.deepEqual([made?.['id'], others], [letter['id'], []]);
        const { body: again } = await api.ask('GET', `/executions/${String(made?.['executionId'])}`);
        assertMembers(again, { functionId: letter['functionId'], input });
        const { body: settled } = await api.ask('GET', `/executions/${String(letter['id'])}`);
        assertMembers(settled, { status: 'failed', deadLetter: 'settled' });
        // The new one fails as well.
        const next = await deadLetterOf(api, letter['functionId']);
        assert.equal(next['id'], made?.['executionId']);
        await api.ask('DELETE', `/dead-letters/${String(next['id'])}`);
      });
    });

    it('removeDeadLetter responds once, and the execution stays', async (api) => {
      assertProblem(await api.ask('DELETE', `/dead-letters/${missing}`), 404, 'execution_not_found');
      await withDeadLetter(api, async (_, { id }) => {
        const path = `/dead-letters/${String(id)}`;
        assert.equal((await api.ask('DELETE', path)).status, 200);
        assertProblem(await api.ask('DELETE', path), 404, 'execution_not_found');
        assert.deepEqual(rowsOf(await api.ask('GET', '/dead-letters')), []);
        assertMembers((await api.ask('GET', `/executions/${String(id)}`)).body, { status: 'failed' });
      });
    });
  });
}
