/* oxlint-disable no-restricted-imports -- the host of the last test is one that uses tsyringe itself */
import 'reflect-metadata';
import { createServiceRef } from '@patchbay/contracts/services';
import { container as root } from 'tsyringe';
import { describe, expect, it } from 'vitest';
import { Container, serviceToken } from './container.ts';

const a = createServiceRef<{ readonly name: string }>('a');
const b = createServiceRef<{ readonly name: string }>('b');

describe('Container', () => {
  it('makes a service once, when it is first asked for', () => {
    const container = new Container();
    let made = 0;
    container.register(a, () => ({ name: `a${++made}` }));
    expect(made).toBe(0);
    expect(container.resolve(a)).toBe(container.resolve(a));
    expect(made).toBe(1);
  });

  it('a ref of another copy of the package resolves by its id', () => {
    const container = new Container();
    container.register(a, () => ({ name: 'a' }));
    expect(container.resolve(createServiceRef('a'))).toEqual({ name: 'a' });
  });

  it('refuses a second registration', () => {
    const container = new Container();
    container.register(a, () => ({ name: 'a' }));
    expect(() => container.register(a, () => ({ name: 'other' }))).toThrow('service "a" is already registered');
  });

  it('the error for a missing service names the service that needs it', () => {
    const container = new Container();
    container.register(a, () => container.resolve(b));
    expect(() => container.resolve(a)).toThrow('no service provides "b" (needed by a)');
    expect(() => container.resolve(b)).toThrow(/^no service provides "b"$/);
  });

  it('names a cycle, and still works afterwards', () => {
    const container = new Container();
    container.register(a, () => container.resolve(b));
    container.register(b, () => container.resolve(a));
    expect(() => container.resolve(a)).toThrow('circular dependency: a -> b -> a');
    expect(() => container.resolve(b)).toThrow('circular dependency: b -> a -> b');
  });

  it('two containers share nothing', () => {
    const first = new Container();
    const second = new Container();
    first.register(a, () => ({ name: 'first' }));
    second.register(a, () => ({ name: 'second' }));
    expect([first.resolve(a).name, second.resolve(a).name]).toEqual(['first', 'second']);
    expect(root.isRegistered(serviceToken('a'))).toBe(false);
  });

  it("puts the services into the host's own container, so that its classes can have them injected", () => {
    const host = root.createChildContainer();
    new Container(host).register(a, () => ({ name: 'a' }));
    expect(host.resolve(Symbol.for('patchbay.service.a'))).toEqual({ name: 'a' });
  });
});
