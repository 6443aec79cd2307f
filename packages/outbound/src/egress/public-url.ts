import { createAddressFilter } from './address-filter.ts';

// Longer than any URL that a vendor accepts.
const MAX_LENGTH = 8_192;
const isPublicAddress = createAddressFilter([]);

/**
 * The problem with the URL of an image or a document, as the second half of a sentence; undefined for an `http` or `https`
 * URL of the public web.
 *
 * The model's server fetches it, and that server may be in the operator's own network. Names are not resolved: only what
 * they say by themselves counts.
 *
 * @example
 * ```ts
 * import { checkPublicUrl } from '@patchbay/core';
 *
 * console.log(checkPublicUrl('http://10.0.0.1/x.png')); // must not point to a private address
 * ```
 */
export function checkPublicUrl(text: string): string | undefined {
  const url = text.length > MAX_LENGTH ? null : URL.parse(text);
  if (url === null) return `must be a URL of at most ${MAX_LENGTH} characters`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password';
  return isPrivateHost(url.hostname) ? 'must not point to a private address' : undefined;
}

/** Numbers in every notation are plain addresses by now: the URL parser has normalized `0x7f.1`. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host)) return !isPublicAddress(host);
  return !host.includes('.') || /\.(?:localhost|local|internal|home\.arpa)$/i.test(host);
}
