import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertDeletion, assertMembers, assertProblem, type Row, rowsOf } from '../expect-answer.ts';
import { createFunctionAt, summarize, withFunction } from '../sample-function.ts';

const missing = '/functions/function_00000000000000000000000000';
const changed = { ...summarize, description: 'Summarizes a text in a few points' };

export function functionOperations(suite: ApiSuite): void {
  suite.describe('functions', () => {
    storedFunctions(suite);
    versions(suite);
    observedNames(suite);
  });
}

function storedFunctions({ it }: ApiSuite): void {
  it('createFunction stores a function and responds with all of it', async (api) => {
    const wrong = await api.ask('POST', '/functions', { body: { ...summarize, name: 7 } });
    assertProblem(wrong, 400, 'invalid_request', '/name');
    const { status, headers, body } = await api.ask('POST', '/functions', { body: summarize });
    assert.equal(status, 201);
    assertMembers(body, summarize);
    const place = api.within(headers.get('location'));
    const stored = await api.ask('GET', place);
    assert.deepEqual(stored.body, body);
    assert.equal(stored.headers.get('etag'), headers.get('etag'));
    assertDeletion(await api.ask('DELETE', place));
  });

  it('listFunctions responds with a page, without schemas and code', async (api) => {
    assertProblem(await api.ask('GET', '/functions?limit=0'), 400, 'invalid_request', '?limit');
    await withFunction(api, {}, async (_path, { id, name, description, createdAt, updatedAt }) => {
      const page = await api.ask('GET', '/functions');
      assert.deepEqual(rowsOf(page)[0], { id, name, description, createdAt, updatedAt });
      assertMembers(page.body['meta'] as Row, { limit: 20, offset: 0 });
    });
  });

  it('getFunction responds with the function, or 304 to those who have it', async (api) => {
    assertProblem(await api.ask('GET', missing), 404, 'function_not_found');
    await withFunction(api, {}, async (path, created) => {
      const { status, headers, body } = await api.ask('GET', path);
      assert.equal(status, 200);
      assert.deepEqual(body, created);
      const again = await api.ask('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      assert.deepEqual([again.status, again.text], [304, '']);
    });
  });

  it('replaceFunction keeps the id and the time of creation', async (api) => {
    assertProblem(await api.ask('PUT', missing, { body: changed }), 404, 'function_not_found');
    await withFunction(api, {}, async (path, { id, createdAt, updatedAt }) => {
      const wrong = await api.ask('PUT', path, { body: { ...changed, code: 7 } });
      assertProblem(wrong, 400, 'invalid_request', '/code');
      const { status, body } = await api.ask('PUT', path, { body: changed });
      assert.equal(status, 200);
      assertMembers(body, { ...changed, id, createdAt });
      assert.ok(String(body['updatedAt']) > String(updatedAt));
    });
  });

  it('deleteFunction removes the function for good', async (api) => {
    const path = await createFunctionAt(api);
    assertDeletion(await api.ask('DELETE', path));
    assertProblem(await api.ask('GET', path), 404, 'function_not_found');
    assertProblem(await api.ask('DELETE', path), 404, 'function_not_found');
  });
}

function versions({ it }: ApiSuite): void {
  const withTwo = (api: ApiClient, use: (path: string, id: unknown) => Promise<void>) =>
    withFunction(api, {}, async (path, { id }) => {
      assert.equal((await api.ask('PUT', path, { body: changed })).status, 200);
      await use(path, id);
    });

  it('listFunctionVersions responds with the newest first', async (api) => {
    assertProblem(await api.ask('GET', `${missing}/versions`), 404, 'function_not_found');
    await withTwo(api, async (path, functionId) => {
      const page = await api.ask('GET', `${path}/versions`);
      const [second = {}, first = {}] = rowsOf(page);
      assertMembers(second, { functionId, version: 2, description: changed.description });
      assertMembers(first, { functionId, version: 1, description: summarize.description });
      assert.equal('code' in first, false);
      assertMembers(page.body['meta'] as Row, { total: 2 });
    });
  });

  it('getFunctionVersion responds with the function as it was', async (api) => {
    await withTwo(api, async (path, functionId) => {
      assertProblem(await api.ask('GET', `${path}/versions/3`), 404, 'version_not_found');
      const { status, body } = await api.ask('GET', `${path}/versions/1`);
      assert.equal(status, 200);
      assertMembers(body, { functionId, version: 1, ...summarize });
      assert.match(String(body['contentHash']), /^[0-9a-f]{64}$/);
    });
  });

  it('restoreFunctionVersion makes an old version the newest', async (api) => {
    await withTwo(api, async (path, id) => {
      assertProblem(await api.ask('POST', `${path}/versions/3/restore`), 404, 'version_not_found');
      const { status, body } = await api.ask('POST', `${path}/versions/1/restore`, { body: {} });
      assert.equal(status, 200);
      assertMembers(body, { id, ...summarize });
      assert.equal(rowsOf(await api.ask('GET', `${path}/versions`)).length, 3);
    });
  });
}

function observedNames({ it }: ApiSuite): void {
  const input = { text: 'Guten Tag', to: 'en' };

  /** The name as listed, once it has been called. */
  const observe = async (api: ApiClient): Promise<Row> => {
    const called = await api.ask('POST', '/call/translateText', { body: { input } });
    assert.equal(called.status, 200, called.text);
    const found = rowsOf(await api.ask('GET', '/observed-names')).find(({ name }) => name === 'translateText');
    assert.ok(found, 'translateText is not listed');
    return found;
  };

  it('listObservedNames responds with the types of inputs, and with no value', async (api) => {
    const { id, ...row } = await observe(api);
    const types = { types: ['string'], count: 1 };
    assertMembers(row, {
      name: 'translateText',
      count: 1,
      refused: 0,
      input: { text: types, to: types },
      output: null,
    });
    assert.ok(!JSON.stringify(row).includes(input.text));
    assertDeletion(await api.ask('DELETE', `/observed-names/${String(id)}`));
  });

  it('deleteObservedName forgets the name', async (api) => {
    const path = `/observed-names/${String((await observe(api))['id'])}`;
    assertDeletion(await api.ask('DELETE', path));
    assertProblem(await api.ask('DELETE', path), 404, 'observed_name_not_found');
  });

  it('promoteObservedName stores a function that takes what was observed', async (api) => {
    const path = `/observed-names/${String((await observe(api))['id'])}`;
    const { status, headers, body } = await api.ask('POST', `${path}/promote`);
    assert.equal(status, 201);
    assertMembers(body, { name: 'translateText', code: '' });
    assert.deepEqual((body['input'] as Row)['required'], ['text', 'to']);
    assertProblem(await api.ask('POST', `${path}/promote`), 404, 'observed_name_not_found');
    assertDeletion(await api.ask('DELETE', api.within(headers.get('location'))));
  });
}
