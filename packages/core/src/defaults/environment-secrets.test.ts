import { describe, expect, it } from 'vitest';
import { silentLogger } from '../app/silent-logger.ts';
import { environmentSecrets } from './environment-secrets.ts';

describe('secrets from the environment', () => {
  const secrets = environmentSecrets({ API_KEY: 'k', EMPTY: '' }).definition.create({
    config: {},
    deps: {},
    logger: silentLogger,
    mount: 'secrets',
    directory: '/',
  });

  it('are the variables of the same name', async () => {
    expect(await secrets.resolve('API_KEY')).toBe('k');
    expect(await secrets.resolve('EMPTY')).toBe('');
  });

  it('names the one that is missing', async () => {
    await expect(secrets.resolve('NOPE')).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'there is no environment variable NOPE',
    });
  });
});
