import { describe, expect, it } from 'vitest';
import { checkAppConfig } from './check-app-config.ts';
import { formatPath } from './config-path.ts';

const problemsOf = (grant: object): string[] =>
  checkAppConfig({ patchbay: 1, functions: { grants: [grant] } }).problems.map(({ path }) => formatPath(path));

describe('the grants of a config', () => {
  it('are fine', () => {
    const secrets = { ACME_KEY: { value: 'a-long-enough-key', hosts: ['api.acme.com', '*.acme.com:8443'] } };
    const hosts = ['api.acme.com', 'http://[::1]:9000', '*'];
    expect(problemsOf({ functions: ['weather-*'], tenants: ['a'], hosts, addresses: ['::1/128'], secrets })).toEqual(
      [],
    );
    expect(problemsOf({ functions: ['*'] })).toEqual([]);
  });

  it('say where they are not', () => {
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

  it('are left alone by this check where their shape is wrong already', () => {
    expect(problemsOf({ functions: ['*'], secrets: { KEY: 'value' }, hosts: 'a', tenants: [1] })).toEqual([
      'functions.grants[0].tenants[0]',
      'functions.grants[0].hosts',
      'functions.grants[0].secrets.KEY',
    ]);
    expect(problemsOf({})).toEqual(['functions.grants[0].functions']);
    expect(checkAppConfig({ patchbay: 1, functions: 'all' }).problems).toHaveLength(1);
  });
});
