import { describe, expect, it } from 'vitest';
import { equalHashes, generateApiKey, hashApiKeySecret, looksLikeApiKey, parseApiKey } from './api-key.ts';
import plugin from './index.ts';

describe('API keys', () => {
  it('every key has a form that the plugin declares as secret', () => {
    const [form, ...others] = plugin.definition.secretForms ?? [];
    expect(others).toEqual([]);
    const { key } = generateApiKey('live');
    expect(form?.exec(`the key ${key}!`)?.[0]).toBe(key);
  });

  it('API keys have the documented form and can be taken apart', () => {
    const { key, ...parts } = generateApiKey('live');
    expect(key).toMatch(/^pbk_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    expect(looksLikeApiKey(key)).toBe(true);
    expect(parseApiKey(key)).toEqual(parts);
  });

  it('API keys are never the same twice', () => {
    const keys = Array.from({ length: 1_000 }, () => generateApiKey('live').key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('API keys are refused when one character is wrong or missing', () => {
    const { key } = generateApiKey('live');
    for (let index = 0; index < key.length; index += 1) {
      const other = key[index] === 'x' ? 'y' : 'x';
      expect(parseApiKey(key.slice(0, index) + other + key.slice(index + 1)), `${index}`).toBeUndefined();
      expect(parseApiKey(key.slice(0, index) + key.slice(index + 1)), `${index}`).toBeUndefined();
    }
    expect(parseApiKey(`${key}\n`)).toBeUndefined();
  });

  it('API keys are stored as a hash that depends on the pepper', () => {
    const [one, other] = ['a', 'b'].map((pepper) => hashApiKeySecret(Buffer.from(pepper), 'secret'));
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(equalHashes(one as string, other as string)).toBe(false);
    expect(equalHashes(one as string, one as string)).toBe(true);
    expect(equalHashes(one as string, '')).toBe(false);
  });
});
