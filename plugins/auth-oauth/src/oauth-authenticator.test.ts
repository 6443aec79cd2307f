import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audience, setUp } from './fixtures/set-up.ts';
import { makeKey, type SigningKey, startTestIssuer, type TestIssuer } from './fixtures/test-issuer.ts';

let issuer: TestIssuer;
let key: SigningKey;

beforeAll(async () => {
  issuer = await startTestIssuer();
  key = await makeKey('k1');
  issuer.keys = [key.publicJwk];
});

afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
});

const principalOf = async (config: object, claims: object) => {
  await using subject = setUp({ corp: { issuer: issuer.url, ...config } });
  return await subject.authenticator
    .authenticate({ token: await issuer.sign(key, claims) })
    .catch((error: { code: string }) => error.code);
};

describe('claims', () => {
  it.each([
    ['the tenant that the config says', { tenant: 'fixed' }, { client_id: 'x' }, { tenant: 'fixed' }],
    ['a client in the namespace of its issuer', {}, { client_id: 'default' }, { tenant: 'corp:default' }],
    ['a tenant of a claim', { tenantClaim: 'org_id' }, { org_id: 'o1' }, { tenant: 'corp:o1' }],
    [
      'a tenant without the namespace where the config says so',
      { tenantClaim: 'org_id', tenantPrefix: '' },
      { org_id: 'o1' },
      { tenant: 'o1' },
    ],
    [
      'a claim with a name like a URL',
      { tenantClaim: 'https://example.com/org' },
      { 'https://example.com/org': 'o1' },
      { tenant: 'corp:o1' },
    ],
    ['a claim by pointer', { tenantClaim: '/org/a~1b/0' }, { org: { 'a/b': ['o1'] } }, { tenant: 'corp:o1' }],
    ['a tenant by value', { tenants: { acme: 'corp-acme' } }, {}, { tenant: 'corp-acme' }],
    [
      'another claim for the caller',
      { principalClaim: 'email' },
      { email: 'a@example.com' },
      { id: 'corp|a@example.com', kind: 'user' },
    ],
    ['a client that speaks for itself', {}, { sub: 'acme' }, { id: 'corp|acme', kind: 'service' }],
    ['scopes in an array', { scopeClaim: 'roles' }, { roles: ['models:read', 7, ''] }, { scopes: ['models:read'] }],
    ['no scopes', {}, { scope: undefined }, { scopes: [] }],
    ['no star that is not ours', {}, { scope: '* models:read' }, { scopes: ['models:read'] }],
    ["none of the operator's scopes", {}, { scope: 'metrics:read tenants:read keys:permanent' }, { scopes: [] }],
    [
      "the operator's scopes where the config names them",
      { scopes: { ops: ['metrics:read'] } },
      { scope: 'ops' },
      { scopes: ['metrics:read'] },
    ],
    [
      'scopes by value',
      { scopes: { admin: ['*'], reader: ['functions:read'] } },
      { scope: 'admin other' },
      { scopes: ['*'] },
    ],
    [
      'no scope that the config does not name',
      { scopes: { reader: ['functions:read'] } },
      { scope: 'functions:write __proto__' },
      { scopes: [] },
    ],
  ])('%s', async (_, config, claims, expected) => {
    expect(await principalOf(config, claims)).toMatchObject(expected);
  });

  it.each([
    ['a tenant that the config does not name', { tenants: { other: 'o' } }, {}],
    ['a tenant of the prototype', { tenants: { other: 'o' } }, { client_id: 'constructor' }],
    ['no tenant', { tenantClaim: 'org_id' }, {}],
    ['the tenant of the installation', { tenantPrefix: '' }, { client_id: 'patchbay:installation' }],
    ['a reserved tenant by prefix', { tenantPrefix: 'patchbay:' }, { client_id: 'installation' }],
    ['a pointer that leads nowhere', { tenantClaim: '/org/id' }, { org: 'id' }],
    ['no caller', { principalClaim: 'email' }, {}],
  ])('claims are refused: %s', async (_, config, claims) => {
    expect(await principalOf(config, claims)).toBe('invalid_token');
  });

  it('claims of an issuer that does not follow RFC 9068 are taken where the config says so', async () => {
    const old = { client_id: undefined, jti: undefined, iat: undefined };
    expect(await principalOf({ tenant: 't' }, old)).toBe('invalid_token');
    expect(await principalOf({ tenant: 't', tokenType: 'any' }, old)).toMatchObject({ tenant: 't', kind: 'user' });
    expect(await principalOf({ tenant: 't', tokenType: 'any' }, { ...old, exp: undefined })).toBe('invalid_token');
  });
});

describe('the keys of an issuer', () => {
  it('the keys of an issuer are read at most six times a minute, however many unknown ones are named', async () => {
    await using subject = setUp({ corp: { issuer: issuer.url } });
    expect(await subject.outcome(await issuer.sign(key))).toBe('ok');
    const forged = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => await issuer.sign(key, {}, { kid: `x${index}` })),
    );
    const flood = async () => {
      for (let round = 0; round < 20; round += 1) {
        const outcomes = await Promise.all(forged.map(async (token) => await subject.outcome(token)));
        expect(new Set(outcomes)).toEqual(new Set(['invalid_token']));
      }
    };
    const reads: number[] = [];
    for (let second = 0; second <= 180; second += 5) {
      const before = issuer.requests.length;
      await flood();
      for (let read = before; read < issuer.requests.length; read += 1) reads.push(second);
      subject.clock.advance(5_000);
    }
    // In every minute, also in the first one, wherever it begins.
    for (const start of reads) {
      expect(reads.filter((second) => second >= start && second < start + 60).length).toBeLessThanOrEqual(6);
    }
    expect(reads.length).toBeGreaterThan(6);
    expect(await subject.outcome(await issuer.sign(key))).toBe('ok');
  });

  it('the keys of an issuer are used for a day while the issuer is down, and no request waits for it', async () => {
    await using own = await startTestIssuer();
    own.keys = [key.publicJwk];
    await using subject = setUp({ corp: { issuer: own.url } });
    const later = { exp: Math.floor(Date.now() / 1_000) + 200_000 };
    expect(await subject.outcome(await own.sign(key, later))).toBe('ok');
    own.down = true;
    for (let hour = 0; hour < 23; hour += 1) {
      subject.clock.advance(3_600_000);
      expect(await subject.outcome(await own.sign(key, later))).toBe('ok');
    }
    subject.clock.advance(3_600_000);
    expect(await subject.outcome(await own.sign(key, later))).toBe('authentication_unavailable');
    own.down = false;
    subject.clock.advance(10_000);
    expect(await subject.outcome(await own.sign(key, later))).toBe('ok');
  });

  it('the keys of an issuer that was never reached leave everything open', async () => {
    await using own = await startTestIssuer();
    own.keys = [key.publicJwk];
    own.down = true;
    await using subject = setUp({ corp: { issuer: own.url } });
    expect(await subject.authenticator.health?.()).toMatchObject({ status: 'warn' });
    expect(await subject.outcome(await own.sign(key))).toBe('authentication_unavailable');
    own.down = false;
    subject.clock.advance(20_000);
    expect(await subject.outcome(await own.sign(key))).toBe('ok');
    expect(await subject.authenticator.health?.()).toEqual({ status: 'pass' });
  });

  it.each([
    ['of another issuer', (url: string) => ({ issuer: 'https://evil.example', jwks_uri: `${url}/jwks` })],
    ['without an issuer', () => ({ issuer: undefined })],
    ['with keys at an insecure URL', () => ({ jwks_uri: 'http://evil.example/jwks' })],
    ['with keys in a file', () => ({ jwks_uri: 'file:///etc/passwd' })],
    ['without keys', () => ({ jwks_uri: undefined })],
  ])('the keys of an issuer are not looked for by metadata %s', async (_, metadata) => {
    await using own = await startTestIssuer();
    own.keys = [key.publicJwk];
    own.metadata = { issuer: own.url, ...metadata(own.url) };
    await using subject = setUp({ corp: { issuer: own.url } });
    expect(await subject.outcome(await own.sign(key))).toBe('authentication_unavailable');
    expect(own.requests).not.toContain('/jwks');
  });

  it('the keys of an issuer are found where the config says, without metadata', async () => {
    await using subject = setUp({ corp: { issuer: issuer.url, jwksUri: `${issuer.url}/jwks` } });
    issuer.requests.length = 0;
    expect(await subject.outcome(await issuer.sign(key))).toBe('ok');
    expect(issuer.requests).toEqual(['/jwks']);
  });
});

describe('several issuers', () => {
  it('several issuers are distinguished by name, and none can act for another', async () => {
    await using other = await startTestIssuer();
    const otherKey = await makeKey('k1');
    other.keys = [otherKey.publicJwk];
    await using subject = setUp({ corp: { issuer: issuer.url }, partner: { issuer: other.url } });
    const idOf = async (token: string) => (await subject.authenticator.authenticate({ token }))?.id;
    expect(await idOf(await issuer.sign(key))).toBe('corp|alice');
    expect(await idOf(await other.sign(otherKey))).toBe('partner|alice');
    expect(await subject.outcome(await issuer.sign(key, { iss: other.url }))).toBe('invalid_token');
    expect(await subject.outcome(await other.sign(otherKey, { iss: issuer.url }))).toBe('invalid_token');
    expect(await subject.outcome(await other.sign(otherKey, { iss: 'https://third.example' }))).toBe('unknown');
  });
});

describe('a config', () => {
  it.each([
    [
      'an issuer without TLS',
      { corp: { issuer: 'http://id.example.com' } },
      'issuers.corp.issuer must be an https URL',
    ],
    ['an issuer that is no URL', { corp: { issuer: 'corp' } }, 'issuers.corp.issuer must be an https URL'],
    [
      'no audience',
      { corp: { issuer: 'https://id.example.com', audience: [] } },
      'issuers.corp.audience must have an entry',
    ],
    [
      'keys without TLS',
      { corp: { issuer: 'https://id.example.com', jwksUri: 'http://a.example' } },
      'issuers.corp.jwksUri must be',
    ],
    [
      'a tenant that cannot be one',
      { corp: { issuer: 'https://id.example.com', tenants: { a: 'b c' } } },
      'issuers.corp.tenants has "b c"',
    ],
    ['a name that cannot be one', { 'A|B': { issuer: 'https://id.example.com' } }, 'is not a name'],
    [
      'one issuer twice',
      { a: { issuer: 'https://a.example' }, b: { issuer: 'https://a.example' } },
      'two issuers have the same',
    ],
  ])('a config with %s is refused', (_, issuers, message) => {
    expect(() => setUp(issuers as never)).toThrow(message);
  });
});

describe('introspection', () => {
  const opaque = async (answer: object | undefined, config: object = {}) => {
    const bodies: string[] = [];
    const own = await startTestIssuer((request, response) => {
      if (request.url !== '/introspect') return false;
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      request.on('end', () => response.writeHead(answer ? 200 : 500).end(JSON.stringify(answer)));
      return true;
    });
    const introspection = { clientId: 'me', clientSecret: 's', cacheSeconds: 60, requireAudience: true };
    const subject = setUp({ corp: { issuer: own.url, introspection, ...config } });
    const dispose = async () => {
      await subject[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    };
    return { own, subject, bodies, [Symbol.asyncDispose]: dispose };
  };
  const claims = { active: true, client_id: 'acme', sub: 'alice', scope: 'models:read', aud: audience };
  const seconds = () => Math.floor(Date.now() / 1_000);

  it.each([
    ['nothing but the claims', {}, 'ok'],
    ['our audience among others', { aud: ['x', audience] }, 'ok'],
    ['another audience', { aud: 'x' }, 'unknown'],
    ['no audience', { aud: undefined }, 'unknown'],
    ['another issuer', { iss: 'https://evil.example' }, 'unknown'],
    ['an end in the past', { exp: seconds() - 10 }, 'unknown'],
    ['a beginning in the future', { nbf: seconds() + 100 }, 'unknown'],
    ['no tenant', { client_id: undefined }, 'unknown'],
    ['active as text', { active: 'true' }, 'unknown'],
    ['active not at all', { active: undefined }, 'unknown'],
  ])('maps a response with %s to its outcome', async (_, changes, expected) => {
    await using setup = await opaque({ ...claims, ...changes });
    expect(await setup.subject.outcome('opaque token')).toBe(expected);
  });

  it('accepts a response without an audience when requireAudience is false', async () => {
    const introspection = { clientId: 'me', clientSecret: 's', cacheSeconds: 60, requireAudience: false };
    await using setup = await opaque({ ...claims, aud: undefined }, { introspection });
    expect(await setup.subject.outcome('opaque token')).toBe('ok');
    await using other = await opaque({ ...claims, aud: 'x' }, { introspection });
    expect(await other.subject.outcome('opaque token')).toBe('unknown');
  });

  it('remembers by the whole token: 10,000 that begin alike are not mixed up', async () => {
    await using setup = await opaque(undefined);
    await using echo = await startTestIssuer((request, response) => {
      if (request.url !== '/introspect') return false;
      let text = '';
      request.on('data', (piece) => {
        text += String(piece);
      });
      request.on('end', () => {
        const sub = new URLSearchParams(text).get('token')?.slice(-8);
        response.end(JSON.stringify({ ...claims, sub }));
      });
      return true;
    });
    expect(setup.bodies).toEqual([]);
    const introspection = { clientId: 'me', clientSecret: 's', cacheSeconds: 60, requireAudience: true };
    await using subject = setUp({ corp: { issuer: echo.url, introspection } });
    const tokens = Array.from({ length: 1_000 }, (_, index) => {
      return 'a'.repeat(20 + (index % 180)) + String(index).padStart(8, '0');
    });
    let wrong = 0;
    for (let round = 0; round < 10; round += 1) {
      for (let first = 0; first < tokens.length; first += 20) {
        const some = tokens.slice(first, first + 20);
        const found = await Promise.all(some.map(async (token) => await subject.authenticator.authenticate({ token })));
        wrong += found.filter((principal, index) => principal?.id !== `corp|${some[index]?.slice(-8)}`).length;
      }
    }
    expect(wrong).toBe(0);
    expect(echo.requests.filter((path) => path === '/introspect')).toHaveLength(1_000);
  });

  it('introspection does not outlive the token', async () => {
    await using setup = await opaque({ ...claims, exp: seconds() + 10 });
    expect(await setup.subject.outcome('t')).toBe('ok');
    setup.subject.clock.advance(11_000);
    expect(await setup.subject.outcome('t')).toBe('unknown');
  });

  it('introspection that fails leaves everything open, and is not remembered', async () => {
    await using setup = await opaque(undefined);
    expect(await setup.subject.outcome('t')).toBe('authentication_unavailable');
    expect(await setup.subject.outcome('t')).toBe('authentication_unavailable');
    expect(setup.own.requests.filter((path) => path === '/introspect')).toHaveLength(2);
  });

  it('introspection of one issuer works while another one is down', async () => {
    await using down = await startTestIssuer();
    down.down = true;
    const answer = { ...claims };
    await using up = await startTestIssuer((request, response) => {
      if (request.url !== '/introspect') return false;
      request.resume().on('end', () => response.end(JSON.stringify(answer)));
      return true;
    });
    const introspection = { clientId: 'me', clientSecret: 's', cacheSeconds: 0, requireAudience: true };
    await using subject = setUp({
      down: { issuer: down.url, introspection },
      up: { issuer: up.url, introspection },
    });
    expect((await subject.authenticator.authenticate({ token: 't' }))?.id).toBe('up|alice');
    // It may be a token of the one that does not say.
    answer.active = false;
    expect(await subject.outcome('t')).toBe('authentication_unavailable');
  });

  it('asks no more than 32 at a time', async () => {
    await using setup = await opaque(claims);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => await setup.subject.outcome(`t${index}`)),
    );
    expect(Map.groupBy(outcomes, (outcome) => outcome).get('ok')).toHaveLength(32);
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'authentication_unavailable']));
  });

  it('introspection is not asked about API keys, nor where it is not configured', async () => {
    await using setup = await opaque(claims);
    expect(await setup.subject.outcome('pbk_live_x')).toBe('unknown');
    await using plain = setUp({ corp: { issuer: setup.own.url } });
    expect(await plain.outcome('opaque')).toBe('unknown');
    expect(setup.bodies).toEqual([]);
  });
});
