import { type Clock, PatchbayError } from '@patchbay/core/plugin';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { IssuerConfig } from './issuer-options.ts';

/** The two readable parts of a signed token. Nothing in them can be trusted before the signature is verified. */
export interface UnverifiedJwt {
  readonly header: JsonMembers;
  readonly claims: JsonMembers;
}

const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Split a JWT in compact form; undefined if it is not one, or contains another one. */
export function readJwt(token: string): UnverifiedJwt | undefined {
  const [, ...parts] = form.exec(token) ?? [];
  const decoded = parts.map(decode);
  const [header, claims] = decoded.slice(0, 2).map((bytes) => bytes && parseStrictObject(bytes));
  return header && claims && decoded[2] ? { header, claims } : undefined;
}

/** Undefined if other strings would have the same bytes: a token has one form, and is cached by it. */
function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/**
 * Parse a JSON object in which no object has a member twice (RFC 7519, section 4): two readers of one token must not
 * see two different claims.
 *
 * @returns undefined for everything else.
 */
function parseStrictObject(bytes: Uint8Array): JsonMembers | undefined {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return membersIn(text) === membersOf(value) ? (value as JsonMembers) : undefined;
  } catch {
    return undefined;
  }
}

/** How many members the JSON text has: in valid JSON, one for each colon outside of a string. */
function membersIn(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1;
}

/** How many members are left after parsing. Without recursion, because the sender chooses the depth. */
function membersOf(root: object): number {
  let count = 0;
  const open: object[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const children = Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return count;
}

/** Seconds by which the clock of the issuer may be off. */
export const CLOCK_SKEW_SECONDS = 5;

/** The same for every fault of a token: details would only help those who forge them. */
export function invalidToken(): PatchbayError {
  return new PatchbayError('invalid_token', 'the credentials are not valid');
}

/**
 * Check the signature of a JWT, and then its claims (RFC 9068, section 4; RFC 8725). Only keys of the issuer's own set
 * count: keys in the header (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
 *
 * @throws PatchbayError `invalid_token`, `token_expired`, `authentication_unavailable`.
 */
export async function verifyJwt(
  token: string,
  { header }: UnverifiedJwt,
  findKey: JWTVerifyGetKey,
  { config, clock }: { readonly config: IssuerConfig; readonly clock: Clock },
): Promise<JsonMembers> {
  // A token within a token, and payloads that must be unpacked first.
  if (header['cty'] !== undefined || header['zip'] !== undefined) throw invalidToken();
  const isAccessToken = config.tokenType === 'at+jwt';
  try {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: [...config.algorithms],
      issuer: config.issuer,
      audience: [...config.audience],
      ...(isAccessToken && { typ: 'at+jwt' }),
      requiredClaims: isAccessToken ? ['exp', 'iat', 'sub', 'client_id', 'jti'] : ['exp'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(clock.now()),
    });
    // `1e999` in JSON is infinity, and would never expire.
    if (!Number.isFinite(payload.exp)) throw invalidToken();
    return payload;
  } catch (error) {
    if (PatchbayError.is(error)) throw error;
    // Thrown only after the signature, the issuer and the audience were verified.
    if (error instanceof errors.JWTExpired) throw new PatchbayError('token_expired', 'the access token has expired');
    throw invalidToken();
  }
}
