/**
 * The cost of authenticating and authorizing a caller: with an API key, and with a JWT that was seen before. For
 * comparison, in the same run, one HMAC-SHA-256 with Node's own crypto.
 *
 *     node --conditions=source bench/authentication.ts [requests]
 */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import apiKeys from '@patchbay/auth-api-key';
import oauth from '@patchbay/auth-oauth';
import { authorize, createApp } from '@patchbay/core';
import sqlite from '@patchbay/store-sqlite';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';

const scorecard = openScorecard('authentication');

const requests = Number(process.argv[2] ?? 200_000);
const { privateKey, publicKey } = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
const server = createServer((request, response) => {
  const { url } = request;
  response.end(JSON.stringify(url === '/jwks' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-'));
const app = await createApp({
  patchbay: 1,
  storage: { use: sqlite, with: { file: join(folder, 'patchbay.db') } },
  authenticators: {
    keys: { use: apiKeys, with: { bootstrapKey: 'bootstrap-key-of-the-bench-0123456789' } },
    oauth: { use: oauth, with: { issuers: { bench: { issuer, audience: ['patchbay'] } } } },
  },
  secret: 'the root secret of this bench, not used elsewhere',
});
const caller = await app.services.authenticate({ token: 'bootstrap-key-of-the-bench-0123456789' });
const { key } = await app.services.keys.create({ name: 'bench', scopes: ['functions:read'] }, { caller });
const limited = { name: 'bench', scopes: ['functions:read'], ipAddresses: ['10.0.0.0/8', '127.0.0.1'] } as const;
const { key: keyWithAddresses } = await app.services.keys.create(limited, { caller });
const claims = { scope: 'functions:read gateway:invoke', client_id: 'acme', jti: 'a', email: 'alice@example.com' };
const jwt = await new SignJWT(claims)
  .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
  .setIssuer(issuer)
  .setAudience('patchbay')
  .setSubject('alice')
  .setIssuedAt()
  .setExpirationTime('1h')
  .sign(privateKey);

const enter = (token: string) => async () => {
  authorize(await app.services.authenticate({ token, remoteAddress: '127.0.0.1' }), 'functions:read');
};
const hmacKey = createSecretKey(randomBytes(32));
const cases = {
  'nothing but the call': async () => {},
  'one HMAC-SHA-256': async () => void createHmac('sha256', hmacKey).update('a'.repeat(32)).digest('hex'),
  'API key': enter(key),
  'API key with addresses': enter(keyWithAddresses),
  'JWT, seen before': enter(jwt),
};

// Reads the keys of the issuer; within the loops below, nothing arrives from a socket.
await app.services.authenticate({ token: jwt });

/** CPU microseconds of one call, including the engine's threads. */
async function cost(body: () => Promise<void>): Promise<number> {
  for (let index = 0; index < 2_000; index += 1) await body();
  const before = process.cpuUsage();
  for (let index = 0; index < requests; index += 1) await body();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

const best = new Map<string, number>();
for (let round = 0; round < 3; round += 1) {
  for (const [name, body] of Object.entries(cases)) {
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, await cost(body)));
  }
}
const baseline = best.get('one HMAC-SHA-256') ?? 1;
for (const [name, microseconds] of best) {
  console.log(
    `${name.padEnd(24)} ${microseconds.toFixed(1).padStart(6)} us of CPU ${(microseconds / baseline).toFixed(1).padStart(6)} x HMAC`,
  );
}
const figure = (what: string, name: string, most: number) => ({
  what,
  value: best.get(name) ?? 0,
  unit: 'µs of CPU',
  target: { most },
  note: `${((best.get(name) ?? 0) / baseline).toFixed(1)} times one HMAC-SHA-256`,
});
scorecard.record([
  figure('who a caller is and whether it may, by API key', 'API key', 40),
  figure('the same, by a JWT that was seen before', 'JWT, seen before', 60),
]);
await app.host.stop(0);
server.close();
await rm(folder, { recursive: true, force: true });
