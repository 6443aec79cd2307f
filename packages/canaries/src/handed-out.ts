import { excerpt, type Find } from './find-secrets.ts';

/** Secrets that the server makes: each is shown to its owner, once, as one member of a JSON document, also as text of HTML. */
const made = /(?:pbk_[a-z]+_[0-9A-Za-z]+_|whsec_)[0-9A-Za-z+/=]{24,}/g;
const SHOWN_AS = /("|&quot;)(?:key|secret)\1: ?\1$/;
const BEFORE = 27;

/**
 * The secret parts of those in an answer, and where one stands elsewhere than it is shown.
 *
 * @param seen Whether what comes before these bytes was looked at already, with the first of them.
 */
export function handedOut(
  bytes: Buffer,
  seen: boolean,
): { readonly secrets: readonly string[]; readonly elsewhere: readonly Find[] } {
  if (!bytes.includes('pbk_') && !bytes.includes('whsec_')) return { secrets: [], elsewhere: [] };
  const text = bytes.toString('latin1');
  const secrets: string[] = [];
  const elsewhere: Find[] = [];
  for (const { 0: secret, index } of text.matchAll(made)) {
    if (seen && index < BEFORE) continue;
    if (SHOWN_AS.test(text.slice(Math.max(0, index - BEFORE), index)))
      secrets.push(secret.slice(secret.lastIndexOf('_') + 1));
    else elsewhere.push({ what: 'a secret that the server made', around: excerpt(bytes, index, secret.length) });
  }
  return { secrets, elsewhere };
}
