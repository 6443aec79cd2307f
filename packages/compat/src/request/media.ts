import { checkPublicUrl } from '@patchbay/core';
import type { Value } from './field.ts';

/** An image or a document: at a web address, or in the request itself. */
export type MediaSource = { readonly url: string } | { readonly data: string; readonly mediaType: string };

const dataUrl = /^data:([a-z]+\/[a-z0-9.+-]{1,80})(?:;[a-z0-9-]+=[^;,]{0,100})*;base64,/i;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** An `http` or `https` URL of the public web, or a `data:` URL, which becomes its data. */
export function mediaSource(field: Value): MediaSource {
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
export function checkBase64(field: Value, data = field.name()): string {
  return base64.test(data) ? data : field.fail('invalid_value', 'must have data in base64');
}

/** A URL of the public web. */
export function webAddress(field: Value): string {
  const text = field.name();
  const problem = checkPublicUrl(text);
  return problem === undefined ? text : field.fail('invalid_value', problem);
}
