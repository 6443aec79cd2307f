import { createAddressFilter } from '@patchbay/core/plugin';
import type { Field } from './field.ts';

/** A picture or a document: at an address of the web, or in the request itself. */
export type MediaSource = { readonly url: string } | { readonly data: string; readonly mediaType: string };

const dataUrl = /^data:([a-z]+\/[a-z0-9.+-]{1,80})(?:;[a-z0-9-]+=[^;,]{0,100})*;base64,/i;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
// Longer than any address that a vendor takes.
const MAX_URL = 8_192;

/** An `http` or `https` URL of the public web, or a `data:` URL, which becomes its data. */
export function mediaSource(field: Field): MediaSource {
  const url = field.name();
  if (!/^data:/i.test(url)) return { url: webAddress(field) };
  const [head, mediaType] = dataUrl.exec(url.slice(0, 1_024)) ?? [];
  if (head === undefined || mediaType === undefined) {
    return field.fail(
      'invalid_value',
      'must be a data: URL with a media type and base64, as in data:image/png;base64,…',
    );
  }
  return { data: checkBase64(field, url.slice(head.length)), mediaType: mediaType.toLowerCase() };
}

/** Refused here, because the vendor's own refusal would look like a failure of the vendor. */
export function checkBase64(field: Field, data: string): string {
  return base64.test(data) ? data : field.fail('invalid_value', 'must have data in base64');
}

/**
 * The vendor fetches it, so an address that only the caller can reach, or that only the vendor should reach, is of no use
 * at best. Names are not resolved here.
 */
export function webAddress(field: Field): string {
  const text = field.name();
  if (text.length > MAX_URL || !URL.canParse(text)) return field.fail('invalid_value', 'must be a URL');
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return field.fail('invalid_value', 'must be an http, https or data URL');
  }
  if (username !== '' || password !== '') return field.fail('invalid_value', 'must not have a user name or password');
  if (isPrivate(hostname)) return field.fail('invalid_value', 'must not point to a private address');
  return text;
}

const isPrivateAddress = createAddressFilter([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/127',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]);

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return /(?:^|\.)(?:localhost|local|internal)$/i.test(host) || isPrivateAddress(mappedAddress(host));
}

/** URLs write an IPv4 address inside of an IPv6 one as `::ffff:7f00:1`. */
function mappedAddress(host: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [one >> 8, one & 255, two >> 8, two & 255].join('.');
}
