import { definePlugin } from '@patchbay/contracts/define-plugin';
import { services } from '@patchbay/contracts/services';
import type { Transport } from '@patchbay/contracts/transport';
import { expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { openOperator } from './open-operator.ts';

const secret = 'x'.repeat(32);

/** A storage and an authenticator that keep their transports; making the authenticator fails. */
function plugins(transports: Transport[]) {
  const deps = { transport: services.transport };
  const common = { version: 1, config: { properties: {} }, deps } as const;
  const storage = definePlugin({
    ...common,
    name: 'storage-test',
    kind: 'storage',
    create({ deps: { transport } }) {
      transports.push(transport);
      return createMemoryStorage();
    },
  });
  const authenticator = definePlugin({
    ...common,
    name: 'authenticator-test',
    kind: 'authenticator',
    create({ deps: { transport } }) {
      transports.push(transport);
      throw new Error('no memory left');
    },
  });
  return { storage, authenticator };
}

it('openOperator closes every transport if a plugin throws while it is created', async () => {
  const transports: Transport[] = [];
  const { storage, authenticator } = plugins(transports);
  const config = { patchbay: 1, secret, storage: { use: storage }, authenticators: { keys: { use: authenticator } } };
  await expect(openOperator({ ...config, patchbay: 1 })).rejects.toThrow('no memory left');
  expect(transports).toHaveLength(2);
  for (const transport of transports) {
    const fetch = transport.createFetch({ baseUrl: 'http://127.0.0.1:9' });
    await expect(fetch('http://127.0.0.1:9/')).rejects.toMatchObject({ code: 'shutting_down' });
  }
});

it('a plugin opened for an operator can send requests without telemetry', async () => {
  const transports: Transport[] = [];
  const { storage } = plugins(transports);
  await using operator = await openOperator({ patchbay: 1, secret, storage: { use: storage } });
  expect(await operator.storageHealth()).toEqual({ status: 'pass' });
  const fetch = transports[0]?.createFetch({ baseUrl: 'http://127.0.0.1:9' });
  await expect(fetch?.('http://127.0.0.1:9/')).rejects.toMatchObject({ code: 'provider_error' });
});
