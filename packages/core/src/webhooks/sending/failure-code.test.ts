import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectFault, failureCodes } from './failure-code.ts';

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
  ])('takes %s for %s', (code, fault) => {
    expect(connectFault(code)).toBe(fault);
  });
});
