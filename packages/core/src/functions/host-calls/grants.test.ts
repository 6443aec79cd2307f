import { describe, expect, it } from 'vitest';
import type { FunctionRow } from '../../contracts/rows.ts';
import { tenantId } from '../../contracts/tenant.ts';
import { createGrants } from './grants.ts';

const row = (id: string, name: string) => ({ id, name }) as FunctionRow;
const own = tenantId('default');

describe('createGrants', () => {
  const grantsOf = createGrants([
    { functions: ['function_1', 'weather.*'], hosts: ['a.test'] },
    { functions: ['weather.today'], hosts: ['b.test'], secrets: { KEY: { value: 'secret-value', hosts: ['b.test'] } } },
    { functions: ['*'], tenants: ['acme'], hosts: ['c.test'] },
  ]);
  const hostsOf = (id: string, name: string, tenant = own) =>
    grantsOf(row(id, name), tenant).hosts.flatMap(({ hosts }) => hosts.map((host) => host.name));

  it('go to functions by id or name', () => {
    expect(hostsOf('function_1', 'Other')).toEqual(['a.test']);
    expect(hostsOf('function_2', 'weather.today')).toEqual(['a.test', 'b.test']);
    expect([...grantsOf(row('function_2', 'weather.today'), own).secrets.keys()]).toEqual(['KEY']);
    expect([...grantsOf(row('function_2', 'weather.x'), own).secrets.keys()]).toEqual([]);
  });

  it('go to no other function', () => {
    expect(hostsOf('function_10', 'Other')).toEqual([]);
    expect(hostsOf('function_2', 'weather')).toEqual([]);
    expect(hostsOf('function_2', 'weatherXtoday')).toEqual([]);
    expect(hostsOf('function_2', 'my weather.today')).toEqual([]);
  });

  it('go to no other tenant', () => {
    expect(hostsOf('function_1', 'weather.today', tenantId('acme'))).toEqual(['c.test']);
    expect(hostsOf('function_1', 'weather.today', tenantId('other'))).toEqual([]);
  });
});
