import { beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import { echo } from '../driver/sample-functions.ts';
import type { Answer } from '../driver/server-process.ts';
import type { ServerInUse } from '../driver/use-server.ts';

/** Query parameters and ids that name nothing. */
export function badQuerySuite(server: ServerInUse): void {
  let id: string;
  const get = (path: string): Promise<Answer> => server.ask('GET', path);

  beforeAll(async () => {
    id = String((await server.ask('POST', '/functions', echo)).body['id']);
  });

  describe.each(['/functions', '/functions/:id/executions', '/functions/:id/versions'])('GET %s', (template) => {
    it.each([
      ['limit=-1', '?limit', 'out_of_range'],
      ['limit=0', '?limit', 'out_of_range'],
      ['limit=101', '?limit', 'out_of_range'],
      ['limit=abc', '?limit', 'out_of_range'],
      ['limit=1.5', '?limit', 'out_of_range'],
      ['limit=', '?limit', 'out_of_range'],
      ['limit', '?limit', 'out_of_range'],
      ['limit=1e1', '?limit', 'out_of_range'],
      ['limit=0x10', '?limit', 'out_of_range'],
      ['limit=%2010', '?limit', 'out_of_range'],
      ['limit=+10', '?limit', 'out_of_range'],
      ['limit=010', '?limit', 'out_of_range'],
      ['limit=NaN', '?limit', 'out_of_range'],
      ['limit=Infinity', '?limit', 'out_of_range'],
      ['limit=99999999999999999999', '?limit', 'out_of_range'],
      ['limit=%zz', '?limit', 'encoding'],
      ['limit=%00', '?limit', 'encoding'],
      ['limit[]=1', '?limit[]', 'unknown_parameter'],
      ['limit[gt]=1', '?limit[gt]', 'unknown_parameter'],
      ['offset=-1', '?offset', 'out_of_range'],
      ['offset=10001', '?offset', 'out_of_range'],
      ['offset=x', '?offset', 'out_of_range'],
      ['offset=', '?offset', 'out_of_range'],
      ['sort=__proto__', '?sort', 'enum'],
      ['sort=constructor', '?sort', 'enum'],
      ['sort=code', '?sort', 'enum'],
      ['sort=createdAt;drop', '?sort', 'enum'],
      ['sort=createdAt,name', '?sort', 'enum'],
      ['sort=', '?sort', 'enum'],
      ['sort=CreatedAt', '?sort', 'enum'],
      ['order=up', '?order', 'enum'],
      ['order=DESC', '?order', 'enum'],
      ['order=', '?order', 'enum'],
      ['limit=1&limit=2', '?limit', 'repeated'],
      ['limit=1&%6cimit=1', '?limit', 'repeated'],
      ['page=2', '?page', 'unknown_parameter'],
      ['__proto__=1', '?__proto__', 'unknown_parameter'],
      ['Limit=1', '?Limit', 'unknown_parameter'],
      ['tenant=other', '?tenant', 'unknown_parameter'],
    ])('?%s', async (query, pointer, fault) => {
      expectProblem(await get(`${template.replace(':id', id)}?${query}`), 'invalid_request', pointer, fault);
    });

    it.each(['x', 'e30', 'e30.e30', '__proto__', '%F0%9F%98%80', `${'a'.repeat(1_900)}`])(
      '?cursor=%s',
      async (cursor) => {
        expectProblem(await get(`${template.replace(':id', id)}?cursor=${cursor}`), 'invalid_request', '?cursor');
      },
    );
  });

  it('a cursor of another list, sort or order, or beside an offset, is refused', async () => {
    await server.ask('POST', '/functions', echo);
    const first = await get('/functions?limit=1');
    const cursor = encodeURIComponent(String((first.body['meta'] as { nextCursor: string }).nextCursor));
    expect((await get(`/functions?limit=1&cursor=${cursor}`)).status).toBe(200);
    for (const query of [`sort=name&cursor=${cursor}`, `order=asc&cursor=${cursor}`, `offset=1&cursor=${cursor}`]) {
      expectProblem(await get(`/functions?${query}`), 'invalid_request');
    }
    expectProblem(await get(`/functions/${id}/executions?cursor=${cursor}`), 'invalid_request', '?cursor');
  });

  it('names what was meant', async () => {
    const answer = await get('/functions?limits=1&ofset=2');
    expectProblem(answer, 'invalid_request', '?limits', 'unknown_parameter');
    expect((answer.body['errors'] as { detail: string }[]).map(({ detail }) => detail)).toEqual([
      expect.stringContaining('did you mean "limit"?'),
      expect.stringContaining('did you mean "offset"?'),
    ]);
  });

  it('names at most 50 faults', async () => {
    const answer = await get(`/functions?${Array.from({ length: 1_000 }, (_, index) => `a${index}`).join('&')}`);
    expectProblem(answer, 'invalid_request', '?a0', 'unknown_parameter');
    expect(answer.body['errors']).toHaveLength(50);
  });

  describe('an id that names nothing', () => {
    const ids = [
      'x',
      'function_00000000000000000000000000',
      'execution_00000000000000000000000000',
      '%00',
      '%zz',
      '%ED%A0%80',
      '..%2f..%2fetc%2fpasswd',
      '%27%20OR%201=1--',
      '__proto__',
      '%F0%9F%98%80',
      '%252e',
      '*',
      'x'.repeat(256),
      'x'.repeat(8_000),
    ];

    it.each(ids)('%s', async (unknown) => {
      expectProblem(await get(`/functions/${unknown}`), 'function_not_found');
      expectProblem(await server.ask('PUT', `/functions/${unknown}`, echo), 'function_not_found');
      expectProblem(await server.ask('DELETE', `/functions/${unknown}`), 'function_not_found');
      expectProblem(await server.ask('POST', `/functions/${unknown}/execute`, { input: {} }), 'function_not_found');
      expectProblem(await get(`/functions/${unknown}/executions`), 'function_not_found');
      expectProblem(await get(`/functions/${unknown}/versions`), 'function_not_found');
      expectProblem(await get(`/functions/${unknown}/versions/1`), 'function_not_found');
      expectProblem(await server.ask('POST', `/functions/${unknown}/versions/1/restore`), 'function_not_found');
      expectProblem(await get(`/executions/${unknown}`), 'execution_not_found');
    });

    it.each(['0', '-1', '2', '1.0', '01', 'x', '9999999999', '1%20'])('version %s', async (version) => {
      expectProblem(await get(`/functions/${id}/versions/${version}`), 'version_not_found');
      expectProblem(await server.ask('POST', `/functions/${id}/versions/${version}/restore`), 'version_not_found');
    });

    it('answers 404 before faults of a body are reported', async () => {
      expectProblem(await server.ask('PUT', '/functions/x', { ...echo, code: '(' }), 'function_not_found');
      expectProblem(await server.ask('PUT', '/functions/x', { ...echo, input: {} }), 'function_not_found');
    });
  });

  describe('preconditions', () => {
    const conditional = (method: string, value: string, body?: object): Promise<Answer> =>
      server.ask(method, `/functions/${id}`, body, { 'if-match': value });

    it.each(['"2"', '"0"', '"x"', 'W/"1"', '"1x", "3"', '"99999999999999999999"'])('If-Match: %s', async (value) => {
      expectProblem(await conditional('PUT', value, echo), 'precondition_failed');
      expectProblem(await conditional('DELETE', value), 'precondition_failed');
    });

    it.each(['1', '"1', '""1""', '"1" "2"', 'abc', `"${'1'.repeat(2_000)}"`])('If-Match: %s', async (value) => {
      expectProblem(await conditional('PUT', value, echo), 'invalid_request');
      expectProblem(await conditional('DELETE', value), 'invalid_request');
    });
  });
}
