import { AsyncLocalStorage, createHook } from 'node:async_hooks';
/* oxlint-disable no-restricted-imports -- the host of these tests is one that uses tsyringe itself */
import 'reflect-metadata';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import { createServiceRef, services } from '@patchbay/contracts/services';
import { container as root } from 'tsyringe';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { appRef } from './app.ts';
import { serviceToken } from './container.ts';
import { createApp } from './create-app.ts';

describe("the host's container", () => {
  it('the container resolves the app and its services, and plugins get the services of its parents', async () => {
    const users = createServiceRef<readonly string[]>('acme.users');
    const host = root.createChildContainer();
    host.register(serviceToken(users.id), { useValue: ['ada'] });
    let got: readonly string[] = [];
    const storage = definePlugin({
      name: 'storage-test',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      deps: { users },
      create({ deps }) {
        got = deps.users;
        return createMemoryStorage();
      },
    });
    const apps = await Promise.all(
      [0, 1].map(async () => {
        const container = host.createChildContainer();
        const app = await createApp({ patchbay: 1, storage: { use: storage } }, { container });
        expect(container.resolve(serviceToken('app'))).toBe(app);
        expect(container.resolve(serviceToken('storage'))).toBe(app.host.resolve(services.storage));
        expect(app.host.resolve(appRef)).toBe(app);
        return app;
      }),
    );
    expect(got).toEqual(['ada']);
    expect(apps[0]?.host.resolve(services.storage)).not.toBe(apps[1]?.host.resolve(services.storage));
    expect(host.isRegistered(serviceToken('app'))).toBe(false);
    await Promise.all(apps.map((app) => app.host.stop()));
  });

  it('a container serves one app only', async () => {
    const container = root.createChildContainer();
    const app = await createApp({ patchbay: 1 }, { container });
    await expect(createApp({ patchbay: 1 }, { container })).rejects.toThrow('service "clock" is already registered');
    await app.host.stop();
  });
});

/** The timers that some work has set: test files share a process, in which other timers come and go. */
function watchTimers() {
  const work = new AsyncLocalStorage<true>();
  const running = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === 'Timeout' && work.getStore() && running.add(id)),
    destroy: (id) => void running.delete(id),
  }).enable();
  return {
    of: <R>(body: () => R): R => work.run(true, body),
    running: () => running.size,
    stop: () => hook.disable(),
  };
}

describe('two apps in one process', () => {
  it('two apps stop one by one and leave the process of the host as it was', async () => {
    const listening = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const before = listening();
    const timers = watchTimers();
    const [one, other] = await timers.of(() => Promise.all([createApp({ patchbay: 1 }), createApp({ patchbay: 1 })]));
    expect(timers.running()).toBeGreaterThan(0);
    expect(listening()).toEqual(before);
    await timers.of(() => one.host.stop());
    expect([(await one.host.health()).status, (await other.host.health()).status]).toEqual(['draining', 'ready']);
    expect(() => one.host.track()).toThrow('shutting down');
    other.host.track().done();
    await timers.of(() => other.host.stop());
    expect(listening()).toEqual(before);
    await expect.poll(timers.running).toBe(0);
    timers.stop();
  });
});
