import { expect, it } from 'vitest';
import { createAddressFilter } from '../egress/address-filter.ts';
import { checkAppConfig } from './check-app-config.ts';
import { formatPath } from './config-path.ts';

const ranges = ['10.0.0.1', '::1', '10.1.0.0/16', 'fd00::/8', '10.0.0.1/32'];

it.each(ranges)('webhooks.allow and grants take %s, and the filter opens it', (range) => {
  const grants = [{ functions: ['*'], addresses: [range] }];
  expect(checkAppConfig({ patchbay: 1, webhooks: { allow: [range] }, functions: { grants } }).problems).toEqual([]);
  expect(createAddressFilter([range])(range.split('/')[0]?.replace(/^10.1.0.0$/, '10.1.2.3') ?? '')).toBe(true);
});

it.each(['localhost', '10.0.0.0/33', '10.0.0.1/', '10.1', '::ffff:10.0.0.0/104', 'fe80::1%eth0'])(
  'webhooks.allow and grants refuse %j, which is no address or range',
  (range) => {
    const grants = [{ functions: ['*'], addresses: [range] }];
    const { problems } = checkAppConfig({ patchbay: 1, webhooks: { allow: [range] }, functions: { grants } });
    expect(problems.map(({ path }) => formatPath(path))).toEqual([
      'functions.grants[0].addresses[0]',
      'webhooks.allow[0]',
    ]);
    expect(() => createAddressFilter([range])).toThrow(RangeError);
  },
);
