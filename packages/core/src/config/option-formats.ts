import { fullFormats } from 'ajv-formats/dist/formats.js';
import { isAddressRange } from '../egress/address-range.ts';
import { isProxyUrl } from '../egress/proxy-rules.ts';

/** Formats of options beyond those of JSON Schema: what fits, and what a message says that is expected. */
const ownFormats = {
  'address-range': {
    fits: isAddressRange,
    expected: 'an IPv4 or IPv6 address, or a network such as 10.0.0.0/8',
  },
  'proxy-url': {
    fits: isProxyUrl,
    expected: 'the URL of an HTTP proxy such as http://proxy.example:3128, without a path',
  },
} as const;

/** Every format that the schema of an option may name. */
export const optionFormats = {
  ...fullFormats,
  ...Object.fromEntries(Object.entries(ownFormats).map(([name, { fits }]) => [name, fits])),
};

/** What a text in this format is, in words: `must be …`. */
export function expectedFormat(name: string): string {
  const own = Object.entries(ownFormats).find(([each]) => each === name)?.[1];
  return own?.expected ?? `in the format "${name}"`;
}
