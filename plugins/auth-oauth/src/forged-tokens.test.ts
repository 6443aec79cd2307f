import { createHmac, createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto';
import { CompactEncrypt, CompactSign, exportSPKI } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audience, type Subject, setUp } from './fixtures/set-up.ts';
import { makeKey, type SigningKey, startTestIssuer, type TestIssuer } from './fixtures/test-issuer.ts';

let issuer: TestIssuer;
let subject: Subject;
let key: SigningKey;
let rsa: SigningKey;
let foreign: SigningKey;

beforeAll(async () => {
  issuer = await startTestIssuer();
  [key, rsa, foreign] = await Promise.all([makeKey('k1'), makeKey('r1', 'RS256'), makeKey('k1')]);
  issuer.keys = [key.publicJwk, rsa.publicJwk];
  subject = setUp({ corp: { issuer: issuer.url } });
});

afterAll(async () => {
  await subject[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const header = (more: object = {}) => ({ alg: 'ES256', kid: 'k1', typ: 'at+jwt', ...more });
// By the clock of the authenticator, which stands still.
const now = () => Math.floor(subject.clock.now() / 1_000);

/** A token with these very texts as header and payload, signed with the true key of the issuer. */
const signTexts = async (headerText: string, payloadText: string) => {
  const body = `${encode(headerText)}.${encode(payloadText)}`;
  const jwk = await crypto.subtle.exportKey('jwk', key.privateKey);
  const signer = createPrivateKey({ key: jwk as never, format: 'jwk' });
  const signature = signBytes('sha256', Buffer.from(body), { key: signer, dsaEncoding: 'ieee-p1363' });
  return `${body}.${signature.toString('base64url')}`;
};
const hmac = (secret: string | Buffer, head: object, claims = issuer.claims()) => {
  const body = `${encode(head)}.${encode(claims)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
};
const good = () => issuer.sign(key);
const parts = async () => (await good()).split('.') as [string, string, string];
const withClaims = (claims: object) => issuer.sign(key, claims);
const withHeader = (head: object) => issuer.sign(key, {}, head);
/** Signed with a foreign key, with a header that brings along, or points to, the key to check it with. */
const smuggled = (head: object) => issuer.sign(foreign, {}, head);
const pem = async () => await exportSPKI(rsa.publicKey);
const der = () =>
  createPublicKey({ key: rsa.publicJwk as never, format: 'jwk' }).export({ type: 'spki', format: 'der' });

const forged: Readonly<Record<string, () => string | Promise<string>>> = {
  'alg none, no signature': async () => `${encode(header({ alg: 'none' }))}.${(await parts())[1]}.`,
  'alg none, with a signature': async () => `${encode(header({ alg: 'none' }))}.${(await parts()).slice(1).join('.')}`,
  'alg None': async () => `${encode(header({ alg: 'None' }))}.${(await parts()).slice(1).join('.')}`,
  'alg NONE': async () => `${encode(header({ alg: 'NONE' }))}.${(await parts())[1]}.AA`,
  'alg missing': async () => `${encode({ typ: 'at+jwt', kid: 'k1' })}.${(await parts()).slice(1).join('.')}`,
  'alg empty': async () => `${encode(header({ alg: '' }))}.${(await parts()).slice(1).join('.')}`,
  'alg null': async () => `${encode(header({ alg: null }))}.${(await parts()).slice(1).join('.')}`,
  'alg an array': async () => `${encode(header({ alg: ['ES256'] }))}.${(await parts()).slice(1).join('.')}`,
  'alg a number': async () => `${encode(header({ alg: 0 }))}.${(await parts()).slice(1).join('.')}`,
  'alg of another curve': async () => `${encode(header({ alg: 'ES384' }))}.${(await parts()).slice(1).join('.')}`,
  'alg RS256 for a key of ES256': async () =>
    `${encode(header({ alg: 'RS256' }))}.${(await parts()).slice(1).join('.')}`,
  'alg RS1': async () => `${encode(header({ alg: 'RS1' }))}.${(await parts()).slice(1).join('.')}`,
  'HS256 with the public key as PEM': async () => hmac(await pem(), header({ alg: 'HS256', kid: 'r1' })),
  'HS256 with the public key as PEM, trimmed': async () =>
    hmac((await pem()).trim(), header({ alg: 'HS256', kid: 'r1' })),
  'HS256 with the public key as DER': () => hmac(der(), header({ alg: 'HS256', kid: 'r1' })),
  'HS256 with the public key as JWK': () => hmac(JSON.stringify(rsa.publicJwk), header({ alg: 'HS256', kid: 'r1' })),
  'HS256 with the modulus': () =>
    hmac(Buffer.from(rsa.publicJwk.n ?? '', 'base64url'), header({ alg: 'HS256', kid: 'r1' })),
  'HS256 with an empty secret': () => hmac('', header({ alg: 'HS256' })),
  'HS512 for an ES256 key': () => hmac('secret', header({ alg: 'HS512' })),
  'a foreign key of the same kid': () => issuer.sign(foreign),
  'a foreign key without kid': () => smuggled({ kid: undefined }),
  'an embedded jwk': () => smuggled({ jwk: foreign.publicJwk }),
  'an embedded jwk with its own kid': () => smuggled({ kid: 'evil', jwk: foreign.publicJwk }),
  'a jku': () => smuggled({ kid: 'evil', jku: `${issuer.url}/evil` }),
  'a jku at another host': () => smuggled({ jku: 'https://evil.example/jwks' }),
  'an x5u': () => smuggled({ x5u: `${issuer.url}/evil` }),
  'an x5c': () => smuggled({ x5c: ['MIIB'] }),
  'an x5t': () => smuggled({ x5t: 'AAAA' }),
  'a kid that is a path': () => smuggled({ kid: '../../../../dev/null' }),
  'a kid that is a query': () => smuggled({ kid: "x' UNION SELECT 'k1" }),
  'a kid that is a command': () => smuggled({ kid: 'k1|whoami' }),
  'a kid that is a URL': () => smuggled({ kid: `${issuer.url}/evil` }),
  'a kid of the prototype': () => smuggled({ kid: '__proto__' }),
  'a kid that is empty': () => smuggled({ kid: '' }),
  'a kid that is an object': async () => `${encode(header({ kid: { $ne: 1 } }))}.${(await parts()).slice(1).join('.')}`,
  'a kid with a NUL': () => smuggled({ kid: 'k1\0' }),
  'an unknown crit': () =>
    signTexts(JSON.stringify(header({ crit: ['exp'], exp: 1 })), JSON.stringify(issuer.claims())),
  'a crit that is empty': () => signTexts(JSON.stringify(header({ crit: [] })), JSON.stringify(issuer.claims())),
  'an unencoded payload': () =>
    signTexts(JSON.stringify(header({ crit: ['b64'], b64: false })), JSON.stringify(issuer.claims())),
  'no typ': () => withHeader({ typ: undefined }),
  'typ JWT: an ID token': () => withHeader({ typ: 'JWT' }),
  'typ of a logout token': () => withHeader({ typ: 'logout+jwt' }),
  'typ of a DPoP proof': () => withHeader({ typ: 'dpop+jwt' }),
  'another issuer': () => withClaims({ iss: 'https://evil.example' }),
  'the issuer with a slash': () => withClaims({ iss: `${issuer.url}/` }),
  'the issuer in capitals': () => withClaims({ iss: issuer.url.toUpperCase() }),
  'the issuer in an array': () => withClaims({ iss: [issuer.url] }),
  'the issuer and a space': () => withClaims({ iss: `${issuer.url} ` }),
  'no issuer': () => withClaims({ iss: undefined }),
  'another audience': () => withClaims({ aud: 'https://other.example' }),
  'other audiences': () => withClaims({ aud: ['https://other.example', `${audience}/`] }),
  'no audience': () => withClaims({ aud: undefined }),
  'an empty audience': () => withClaims({ aud: [] }),
  'an audience that begins like ours': () => withClaims({ aud: `${audience}.evil.example` }),
  'an audience in an object': () => withClaims({ aud: { [audience]: true } }),
  'no exp': () => withClaims({ exp: undefined }),
  'exp as text': () => withClaims({ exp: String(now() + 600) }),
  'exp null': () => withClaims({ exp: null }),
  'exp infinite': () =>
    signTexts(JSON.stringify(header()), JSON.stringify(issuer.claims()).replace(/"exp":\d+/, '"exp":1e999')),
  'not yet': () => withClaims({ nbf: now() + 60 }),
  'nbf as text': () => withClaims({ nbf: 'now' }),
  'no iat': () => withClaims({ iat: undefined }),
  'no sub': () => withClaims({ sub: undefined }),
  'an empty sub': () => withClaims({ sub: '' }),
  'a sub that is an object': () => withClaims({ sub: { $ne: '' } }),
  'a sub of 300 characters': () => withClaims({ sub: 'a'.repeat(300) }),
  'a sub with a line break': () => withClaims({ sub: 'alice\nbob' }),
  'no jti': () => withClaims({ jti: undefined }),
  'no client_id': () => withClaims({ client_id: undefined }),
  'a tenant that cannot be one': () => withClaims({ client_id: 'acme/../other' }),
  'a tenant that is an array': () => withClaims({ client_id: ['acme'] }),
  'two members exp': () =>
    signTexts(JSON.stringify(header()), JSON.stringify(issuer.claims()).replace('{', '{"exp":1,')),
  'two members aud': () =>
    signTexts(JSON.stringify(header()), JSON.stringify(issuer.claims()).replace('{', '{"aud":"x",')),
  'two members sub, one escaped': () =>
    signTexts(JSON.stringify(header()), JSON.stringify(issuer.claims()).replace('{', '{"\\u0073ub":"admin",')),
  'two members alg': () =>
    signTexts(JSON.stringify(header()).replace('{', '{"alg":"none",'), JSON.stringify(issuer.claims())),
  'two members within a claim': () =>
    signTexts(JSON.stringify(header()), JSON.stringify(issuer.claims()).replace('{', '{"org":{"id":1,"id":2},')),
  'a token in a token': async () => signTexts(JSON.stringify(header({ cty: 'JWT' })), await good()),
  'a token in a token, as text': async () => signTexts(JSON.stringify(header()), JSON.stringify(await good())),
  'a payload that is an array': () => signTexts(JSON.stringify(header()), JSON.stringify([issuer.claims()])),
  'a payload that is no JSON': () => signTexts(JSON.stringify(header()), 'hello'),
  'a payload that is null': () => signTexts(JSON.stringify(header()), 'null'),
  'a payload that is not UTF-8': async () => {
    const token = await new CompactSign(Buffer.from([0x7b, 0xff, 0x7d]))
      .setProtectedHeader(header())
      .sign(key.privateKey);
    return token;
  },
  'a compressed payload': () => signTexts(JSON.stringify(header({ zip: 'DEF' })), JSON.stringify(issuer.claims())),
  'a payload of 1 MB': () =>
    signTexts(JSON.stringify(header()), JSON.stringify(issuer.claims({ exp: undefined, fill: 'a'.repeat(1e6) }))),
  'a payload of 100,000 levels': () =>
    signTexts(JSON.stringify(header()), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  'the payload of another token': async () => {
    const [first, , third] = await parts();
    return `${first}.${encode(issuer.claims({ sub: 'admin' }))}.${third}`;
  },
  'the header of another token': async () =>
    `${encode(header({ kid: 'r1', alg: 'RS256' }))}.${(await parts()).slice(1).join('.')}`,
  'a signature that is cut': async () => (await good()).slice(0, -8),
  'a signature of zeros': async () =>
    `${(await parts()).slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
  'a signature in DER': async () => {
    const body = (await parts()).slice(0, 2).join('.');
    const jwk = await crypto.subtle.exportKey('jwk', key.privateKey);
    const signer = createPrivateKey({ key: jwk as never, format: 'jwk' });
    return `${body}.${signBytes('sha256', Buffer.from(body), signer).toString('base64url')}`;
  },
  'no signature': async () => (await parts()).slice(0, 2).join('.'),
  'an empty signature': async () => `${(await parts()).slice(0, 2).join('.')}.`,
  'a fourth part': async () => `${await good()}.AAAA`,
  padding: async () => `${await good()}=`,
  'a blank inside': async () => (await good()).replace('.', '. '),
  'base64 in place of base64url': async () => `${(await parts()).slice(0, 2).join('.')}.${'+/'.repeat(43)}`,
  'JSON serialization': async () => JSON.stringify({ protected: (await parts())[0], payload: (await parts())[1] }),
  'an encrypted token': async () =>
    await new CompactEncrypt(Buffer.from(JSON.stringify(issuer.claims())))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .encrypt(
        await crypto.subtle.importKey(
          'jwk',
          { ...key.publicJwk, use: 'enc', key_ops: [] } as never,
          { name: 'ECDH', namedCurve: 'P-256' },
          true,
          [],
        ),
      ),
};

describe(`${Object.keys(forged).length} forged tokens`, () => {
  it.each(Object.entries(forged))('%s', async (_, forge) => {
    const token = await forge();
    const outcome = await subject.authenticator.authenticate({ token }).catch((error: unknown) => error);
    const isRefused = outcome === undefined || (outcome as { code?: string }).code === 'invalid_token';
    expect(isRefused, JSON.stringify(outcome)).toBe(true);
    // The reason is for the operator only.
    expect((outcome as Error | undefined)?.message ?? 'the credentials are not valid').toBe(
      'the credentials are not valid',
    );
  });

  it('number at least 60, and valid tokens still pass after them', async () => {
    expect(await subject.outcome(await issuer.sign(rsa))).toBe('ok');
    expect(Object.keys(forged).length).toBeGreaterThanOrEqual(60);
    expect(await subject.outcome(await good())).toBe('ok');
  });

  it('make the server ask only the issuer for keys', () => {
    expect(new Set(issuer.requests)).toEqual(new Set(['/.well-known/oauth-authorization-server', '/jwks']));
    expect(issuer.requests.length).toBeLessThanOrEqual(7);
  });
});

it('a token that has expired says so, if it was a good one', async () => {
  const past = { iat: now() - 100, exp: now() - 6 };
  expect(await subject.outcome(await issuer.sign(key, past))).toBe('token_expired');
  expect(await subject.outcome(await issuer.sign(foreign, past))).toBe('invalid_token');
  expect(await subject.outcome(await issuer.sign(key, { ...past, aud: 'other' }))).toBe('invalid_token');
  expect(await subject.outcome(await issuer.sign(key, { exp: now() - 3 }))).toBe('ok');
});
