import { describe, expect, it } from 'vitest';
import type { Method, PublicOperation } from './operation.ts';
import { createRoutes, Matcher } from './routing.ts';

function matcherOf(...lines: readonly `${Method} ${string}`[]): Matcher {
  const operations = lines.map((line): PublicOperation => {
    const [method, path = ''] = line.split(' ');
    const success = { status: 200, description: '' };
    const handle = async () => ({ empty: true }) as const;
    return { id: line, method: method as Method, path, area: 'system', scope: 'public', summary: '', success, handle };
  });
  const noBodies = () => {
    throw new Error('there are no bodies here');
  };
  return new Matcher(createRoutes(operations, '', noBodies));
}

describe('Matcher', () => {
  const matcher = matcherOf(
    'GET /a',
    'GET /a/:id',
    'PUT /a/:id',
    'GET /a/special',
    'POST /a/:id/b/:number',
    'GET /m',
    'GET /m/*id',
  );
  const match = (method: string, path: string) => {
    const { route, params, allowed } = matcher.match(method, path);
    return route ? { id: route.operation.id, ...params } : allowed;
  };

  it.each([
    ['GET', '/a', { id: 'GET /a' }],
    ['HEAD', '/a', { id: 'GET /a' }],
    ['POST', '/a/1/b/2', { id: '1', number: '2' }],
    ['GET', '/a/special', { id: 'GET /a/special' }],
    ['GET', '/a/spec%69al', { id: 'special' }],
    ['GET', '/a/%2f%C3%A9', { id: '/é' }],
    ['GET', '/a/%', { id: '%' }],
    ['GET', '/m/openai/gpt-5', { id: 'openai/gpt-5' }],
    ['GET', '/m/openai%2Fgpt-5', { id: 'openai/gpt-5' }],
    ['PUT', '/a', ['GET', 'HEAD']],
    ['DELETE', '/a/1', ['GET', 'HEAD', 'PUT']],
    ['GET', '/a/', []],
    ['GET', '//a', []],
    ['GET', '/A', []],
    ['GET', '/a/1/b', []],
    ['GET', '/a/1/b/2/c', []],
    ['GET', '/m/', []],
    ['GET', '', []],
    ['GET', '/__proto__', []],
  ])('%s %s', (method, path, expected) => {
    expect(match(method, path)).toEqual(expected);
  });

  it('matches long paths', () => {
    expect(match('GET', '/x'.repeat(4_000))).toEqual([]);
    expect(match('GET', `/m${'/x'.repeat(4_000)}`)).toMatchObject({ id: expect.stringMatching(/^x\/x/) });
  });

  it('refuses two operations at the same path', () => {
    expect(() => matcherOf('GET /a/:id', 'GET /a/:name')).toThrow('two operations share GET /a/:name');
  });
});
