import { definePlugin } from '@patchbay/contracts/define-plugin';
import { describe, expect, it } from 'vitest';
import { configSecrets } from '../config/config-secrets.ts';
import { createRedactor } from './redactor.ts';

const secret = 'sk-proj "quoted\\" + key/1';

describe('a redactor', () => {
  it('known secrets are hidden in every encoding', () => {
    const redactor = createRedactor([secret, 'sk-proj']);
    const text = (shown: string) => redactor.text(shown);
    const forms = [
      secret,
      JSON.stringify({ secret }),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ];
    for (const form of forms) {
      expect(text(`before ${form} after`), form).toMatch(/^before .*\[hidden\].* after$/);
      expect(text(form)).not.toMatch(/quoted|cXVvdGVk/);
    }
  });

  it('secrets that are added later are hidden', () => {
    const redactor = createRedactor();
    expect(redactor.text('canary-value')).toBe('canary-value');
    redactor.hide(['canary-value']);
    expect(redactor.text('canary-value, canary-value')).toBe('[hidden], [hidden]');
  });

  it('strings that match a pattern are hidden, and known values still are', () => {
    const redactor = createRedactor(['canary-value']);
    redactor.hide([/key_([a-z]{4})_\d+/]);
    expect(redactor.text('key_live_123, key_1, canary-value')).toBe('[hidden], key_1, [hidden]');
  });

  it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'])(
    'strings that look like a secret are hidden: %.12s',
    (value) => {
      expect(createRedactor().text(`Bearer ${value}!`)).toBe('Bearer [hidden]!');
    },
  );

  it('other strings, and empty or short secrets, stay visible', () => {
    const text = 'POST /functions 201, function_01m7yfzn0bfvjt2fb8q6rmgqde of key_01';
    expect(createRedactor(['', 'key', 'POST']).text(text)).toBe(text);
  });
});

describe('configSecrets', () => {
  it('options marked as secret are found at any depth, and so are the secret formats of plugins', () => {
    const plugin = definePlugin({
      name: 'p',
      kind: 'cache',
      version: 1,
      secretForms: [/key_\d+/],
      config: {
        properties: {
          apiKey: { type: 'string', writeOnly: true },
          url: { type: 'string' },
          accounts: {
            type: 'object',
            additionalProperties: { type: 'object', properties: { password: { type: 'string', writeOnly: true } } },
          },
          tokens: { type: 'array', writeOnly: true, items: { type: 'string' } },
        },
      },
      create: () => ({ get: async () => undefined, set: async () => {}, delete: async () => {} }),
    });
    const options = { apiKey: 'one', url: 'none', accounts: { a: { password: 'two' } }, tokens: ['three'] };
    const config = { patchbay: 1, secret: 'four', previousSecrets: ['five'], secretFile: 'none' } as const;
    const secrets = configSecrets(config, [{ plugin, options }]);
    expect(secrets.map(String).toSorted()).toEqual(['/key_\\d+/', 'five', 'four', 'one', 'three', 'two']);
  });
});
