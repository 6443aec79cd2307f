import { describe, expect, it } from 'vitest';
import { componentSchemas } from '../schemas/components.ts';
import { viewOf } from './view.ts';

const row = {
  previousHash: 'a hash that is for no caller',
  revision: 3,
  secret: 'whsec_1',
  updatedAt: '2026-01-31T12:00:00.000Z',
  disabledReason: null,
  description: undefined,
  url: 'https://receiver.example/',
  id: 'webhook_1',
};

describe('viewOf', () => {
  it('shows the members that the schema names, in its order, and no others', () => {
    expect(JSON.stringify(viewOf('Webhook')(row))).toBe(
      '{"id":"webhook_1","url":"https://receiver.example/","disabledReason":null,"updatedAt":"2026-01-31T12:00:00.000Z"}',
    );
  });

  it('a secret is shown only by a schema that has it', () => {
    const schemas = ['Webhook', 'NewWebhook'] as const;
    expect(schemas.map((schema) => 'secret' in viewOf(schema)(row))).toEqual([false, true]);
    expect(Object.keys(componentSchemas.Key.properties ?? {})).not.toContain('key');
  });
});
