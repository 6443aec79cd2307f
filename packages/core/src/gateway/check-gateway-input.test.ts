import { describe, expect, it } from 'vitest';
import { checkMessages } from './check-gateway-input.ts';

describe('checkMessages', () => {
  it.each(['image', 'file'] as const)('refuses a private address in a part of type %s, with its pointer', (type) => {
    const url = 'http://169.254.169.254/latest/meta-data';
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Read it' } as const, { type, url }] }] as const;
    expect(() => checkMessages(messages)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        errors: [
          { pointer: '/messages/0/content/1/url', code: 'format', detail: 'must not point to a private address' },
        ],
      }),
    );
  });
});
