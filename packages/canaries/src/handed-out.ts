import { excerpt, type Find } from './find-secrets.ts';

/** Secrets that the server creates: each is shown to its owner once, as a member of a JSON document, or as text in HTML. */
const made = /(?:pbk_[a-z]+_[0-9A-Za-z]+_|whsec_)[0-9A-Za-z+/=]{24,}/g;
const SHOWN_AS = /("|&quot;)(?:key|secret)\1: ?\1$/;
const BEFORE = 27;

/**
 * The secret parts of those in a response, and where one occurs outside the place where it is shown.
 *
 * @param seen Whether what precedes these bytes has already been searched, together with the first of them.
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
