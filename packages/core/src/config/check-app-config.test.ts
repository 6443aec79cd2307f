import { readFileSync } from 'node:fs';
import { createAddressFilter } from '@patchbay/outbound/egress/address-filter';
import { describe, expect, it } from 'vitest';
import { appConfigSchema } from './app-config.ts';
import { checkAppConfig } from './check-app-config.ts';
import { formatPath } from './config-path.ts';

const ranges = ['10.0.0.1', '::1', '10.1.0.0/16', 'fd00::/8', '10.0.0.1/32'];

it.each(ranges)('webhooks.allow and grants accept %s, and the filter opens it', (range) => {
  const grants = [{ functions: ['*'], addresses: [range] }];
  expect(checkAppConfig({ patchbay: 1, webhooks: { allow: [range] }, functions: { grants } }).problems).toEqual([]);
  expect(createAddressFilter([range])(range.split('/')[0]?.replace(/^10.1.0.0$/, '10.1.2.3') ?? '')).toBe(true);
});

it.each(['localhost', '10.0.0.0/33', '10.0.0.1/', '10.1', '::ffff:10.0.0.0/104', 'fe80::1%eth0'])(
  'webhooks.allow and grants refuse %j, which is not an address or a range',
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

const problemsOf = (grant: object): string[] =>
  checkAppConfig({ patchbay: 1, functions: { grants: [grant] } }).problems.map(({ path }) => formatPath(path));

describe('the grants of a config', () => {
  it('valid grants have no problems', () => {
    const secrets = { ACME_KEY: { value: 'a-long-enough-key', hosts: ['api.acme.com', '*.acme.com:8443'] } };
    const hosts = ['api.acme.com', 'http://[::1]:9000', '*'];
    expect(problemsOf({ functions: ['weather-*'], tenants: ['a'], hosts, addresses: ['::1/128'], secrets })).toEqual(
      [],
    );
    expect(problemsOf({ functions: ['*'] })).toEqual([]);
  });

  it('each problem of a grant has its path', () => {
    expect(
      problemsOf({
        functions: ['*'],
        tenants: ['no tenant'],
        hosts: ['api.acme.com', 'https://api.acme.com/path'],
        addresses: ['10.0.0', '10.0.0.0/33'],
        secrets: {
          'no-name': { value: 'a-long-enough-key', hosts: [] },
          get: { value: 'a-long-enough-key', hosts: ['a b'] },
          SHORT: { value: 'short', hosts: [] },
          LINES: { value: 'a-long-enough-key\nand another', hosts: [] },
        },
      }),
    ).toEqual([
      'functions.grants[0].tenants[0]',
      'functions.grants[0].hosts[1]',
      'functions.grants[0].addresses[0]',
      'functions.grants[0].addresses[1]',
      'functions.grants[0].secrets.no-name',
      'functions.grants[0].secrets.get',
      'functions.grants[0].secrets.get.hosts[0]',
      'functions.grants[0].secrets.SHORT.value',
      'functions.grants[0].secrets.LINES.value',
    ]);
  });

  it('grants of the wrong shape are reported once, by the schema', () => {
    expect(problemsOf({ functions: ['*'], secrets: { KEY: 'value' }, hosts: 'a', tenants: [1] })).toEqual([
      'functions.grants[0].tenants[0]',
      'functions.grants[0].hosts',
      'functions.grants[0].secrets.KEY',
    ]);
    expect(problemsOf({})).toEqual(['functions.grants[0].functions']);
    expect(checkAppConfig({ patchbay: 1, functions: 'all' }).problems).toHaveLength(1);
  });
});

// The formatter pads the cells of tables.
const page = readFileSync(new URL('../../../../docs/reference/config.md', import.meta.url), 'utf8').replaceAll(
  / {2,}/g,
  ' ',
);

describe('docs/reference/config.md', () => {
  it('names every kind that can be mounted', () => {
    const mounts = Object.entries(appConfigSchema.properties)
      .filter(
        ([name, option]) => name === 'providers' || name === 'authenticators' || 'use' in (option.properties ?? {}),
      )
      .map(([name]) => name);
    expect(mounts.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
