import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectFault, failureCodes, readRetryAfter } from './send-outcome.ts';

const guide = new URL('../../../../../docs/guide/webhooks.md', import.meta.url);

it('the guide lists every failure with the same description', () => {
  const [, section = ''] = readFileSync(guide, 'utf8').split('## Failure reasons\n');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)`\s*\| (.*?)\s*\|$/gmu)];
  const documented = rows.map(([, code, text]) => [code, text]).filter(([code]) => code !== 'failure');
  // Not a failure of sending.
  expect(documented.pop()?.[0]).toBe('secret_unreadable');
  expect(documented).toEqual(Object.entries(failureCodes));
});

describe('connectFault', () => {
  it.each([
    ['EGRESS_REFUSED', 'address_refused'],
    ['EGRESS_TIMEOUT', 'connect_timeout'],
    ['ETIMEDOUT', 'connect_timeout'],
    ['ENOTFOUND', 'name_not_resolved'],
    ['ESERVFAIL', 'name_not_resolved'],
    ['CERT_HAS_EXPIRED', 'tls_failed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failed'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_failed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
    ['ECONNREFUSED', 'connect_failed'],
    ['ENETUNREACH', 'connect_failed'],
    ['', 'connect_failed'],
  ])('maps %s to %s', (code, fault) => {
    expect(connectFault(code)).toBe(fault);
  });
});

const now = Date.parse('2026-11-21T00:00:00Z');

it.each([
  ['17', 17_000],
  [' 0 ', 0],
  ['Sat, 21 Nov 2026 00:01:00 GMT', 60_000],
  ['Fri, 20 Nov 2026 00:01:00 GMT', 0],
  ['Saturday, 21-Nov-26 00:01:00 GMT', 60_000],
  [undefined, undefined],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e9', undefined],
  ['99999999999999999999', undefined],
  ['2026-11-22', undefined],
  ['Sat', undefined],
])('readRetryAfter reads %j as %j ms', (value, milliseconds) => {
  expect(readRetryAfter(value, now)).toBe(milliseconds);
});
