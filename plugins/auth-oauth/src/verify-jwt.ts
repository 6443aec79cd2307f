import { type Clock, PatchbayError } from '@patchbay/core/plugin';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { IssuerConfig } from './issuer-config.ts';
import type { UnverifiedJwt } from './read-jwt.ts';
import type { JsonMembers } from './strict-json.ts';

/** Seconds by which the clock of the issuer may be off. */
export const CLOCK_SKEW_SECONDS = 5;

/** The same for everything that is wrong with a token: what exactly it is helps only those who forge them. */
export function invalidToken(): PatchbayError {
  return new PatchbayError('invalid_token', 'the credentials are not valid');
}

/**
 * Check the signature of a JWT, and then its claims (RFC 9068, section 4; RFC 8725). Only keys of the issuer's own set
 * count: what the header says of keys (`jwk`, `jku`, `x5c`, `x5u`) is not looked at.
 *
 * @throws PatchbayError `invalid_token`, `token_expired`, `authentication_unavailable`.
 */
export async function verifyJwt(
  token: string,
  { header }: UnverifiedJwt,
  findKey: JWTVerifyGetKey,
  { config, clock }: { readonly config: IssuerConfig; readonly clock: Clock },
): Promise<JsonMembers> {
  // A token within a token, and payloads that have to be unpacked first.
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
    // `1e999` in JSON is infinity, and would never be over.
    if (!Number.isFinite(payload.exp)) throw invalidToken();
    return payload;
  } catch (error) {
    if (PatchbayError.is(error)) throw error;
    // Thrown once the signature, the issuer and the audience were found good.
    if (error instanceof errors.JWTExpired) throw new PatchbayError('token_expired', 'the access token has expired');
    throw invalidToken();
  }
}
