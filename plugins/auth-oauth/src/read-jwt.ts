import { type JsonMembers, parseStrictObject } from './strict-json.ts';

/** The two readable parts of a signed token. Nothing in them is to be believed before the signature was checked. */
export interface UnverifiedJwt {
  readonly header: JsonMembers;
  readonly claims: JsonMembers;
}

const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Take a JWT in the compact form apart; undefined where it is none, or one that has another inside. */
export function readJwt(token: string): UnverifiedJwt | undefined {
  const [, ...parts] = form.exec(token) ?? [];
  const decoded = parts.map(decode);
  const [header, claims] = decoded.slice(0, 2).map((bytes) => bytes && parseStrictObject(bytes));
  return header && claims && decoded[2] ? { header, claims } : undefined;
}

/** Undefined where other texts would have the same bytes: a token has one form, and is remembered by it. */
function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}
