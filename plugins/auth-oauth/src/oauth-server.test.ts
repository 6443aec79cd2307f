import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OauthServer, resourceServer, startOauthServer } from './fixtures/oauth-server.ts';
import { audience, type Subject, setUp } from './fixtures/set-up.ts';

// Against oidc-provider: an OAuth server that passed the certification of the OpenID Foundation.

let server: OauthServer;
let subject: Subject;

beforeAll(async () => {
  server = await startOauthServer();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

beforeEach(() => {
  server.requests.length = 0;
  const introspection = { ...resourceServer, cacheSeconds: 30, requireAudience: true };
  subject = setUp({ corp: { issuer: server.url, audience: [audience, `${audience}/opaque`], introspection } });
  return async () => await subject[Symbol.asyncDispose]();
});

describe('a JWT of an OAuth server', () => {
  it('yields tenant, caller and scopes', async () => {
    const token = await server.issueJwt('functions:read gateway:invoke');
    expect(await subject.authenticator.authenticate({ token })).toEqual({
      id: 'corp|acme',
      kind: 'service',
      tenant: 'corp:acme',
      scopes: ['functions:read', 'gateway:invoke'],
      expiresAt: expect.any(Number),
    });
    expect(server.requests).toEqual(['/.well-known/oauth-authorization-server', '/jwks']);
  });

  it('costs the server nothing once its keys are known', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, async () => await server.issueJwt()));
    const outcomes = await Promise.all([...tokens, ...tokens].map(async (token) => await subject.outcome(token)));
    expect(new Set(outcomes)).toEqual(new Set(['ok']));
    expect(server.requests).toHaveLength(2);
  });

  it('a JWT of an OAuth server is accepted through 20 rotations of the keys, under load', async () => {
    const outcomes: string[] = [];
    let before = await server.issueJwt();
    for (let rotation = 0; rotation < 20; rotation += 1) {
      await server.rotate();
      subject.clock.advance(10_000);
      const after = await Promise.all(Array.from({ length: 10 }, async () => await server.issueJwt()));
      outcomes.push(
        ...(await Promise.all([...after, before, ...after].map(async (token) => await subject.outcome(token)))),
      );
      before = after[0] ?? '';
    }
    expect(outcomes).toHaveLength(20 * 21);
    expect(new Set(outcomes)).toEqual(new Set(['ok']));
    expect(server.requests.length).toBeLessThanOrEqual(22);
  });

  it('a JWT of an OAuth server is refused once its key was removed for ten minutes', async () => {
    const token = await server.issueJwt();
    expect(await subject.outcome(token)).toBe('ok');
    await server.rotate();
    await server.rotate();
    subject.clock.advance(600_001);
    expect(await subject.outcome(token)).toBe('invalid_token');
    expect(await subject.outcome(await server.issueJwt())).toBe('ok');
  });
});

describe('a token that only the server can read', () => {
  it('a token that only the server can read is asked about, once in a while', async () => {
    const token = await server.issueOpaque('functions:write');
    expect(token).not.toContain('.');
    const principal = await subject.authenticator.authenticate({ token });
    expect(principal).toMatchObject({ id: 'corp|acme', tenant: 'corp:acme', scopes: ['functions:write'] });
    await Promise.all(Array.from({ length: 50 }, async () => await subject.outcome(token)));
    const questions = () => server.requests.filter((path) => path === '/token/introspection').length;
    expect(questions()).toBe(1);
    subject.clock.advance(30_000);
    expect(await subject.outcome(token)).toBe('ok');
    expect(questions()).toBe(2);
  });

  it('a token that only the server can read is refused once it was withdrawn and the answer is too old', async () => {
    const token = await server.issueOpaque();
    expect(await subject.outcome(token)).toBe('ok');
    await server.revoke(token);
    subject.clock.advance(30_000);
    expect(await subject.outcome(token)).toBe('unknown');
  });

  it('a token that only the server can read is unknown where the server does not know it', async () => {
    const token = await server.issueOpaque();
    for (const other of [`${token}x`, token.slice(1), 'nonsense']) expect(await subject.outcome(other)).toBe('unknown');
    expect(await subject.outcome(token)).toBe('ok');
  });
});
