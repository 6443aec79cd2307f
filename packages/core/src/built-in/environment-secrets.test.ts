import { expect, it } from 'vitest';
import { environmentSecrets } from './environment-secrets.ts';

const resolve = (env: NodeJS.ProcessEnv, name: string): Promise<string> =>
  environmentSecrets(env)
    .definition.create({ config: {}, deps: {}, logger: console, mount: 'secrets', directory: '.' } as never)
    .resolve(name);

it('environment secrets are variables, and never members that every object has', async () => {
  expect(await resolve({ GREETING: 'hello' }, 'GREETING')).toBe('hello');
  expect(await resolve({ EMPTY: '' }, 'EMPTY')).toBe('');
  expect(await resolve(process.env, 'PATH')).toBe(process.env['PATH']);
  for (const name of ['__proto__', 'constructor', 'toString', 'NO_SUCH_VARIABLE']) {
    for (const env of [process.env, {}]) {
      await expect(resolve(env, name)).rejects.toMatchObject({
        code: 'config_invalid',
        message: `the environment variable ${name} is not set`,
      });
    }
  }
});
