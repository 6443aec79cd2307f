import { PatchbayError } from '@patchbay/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { operations } from '../operations/operations.ts';
import { createRoutes } from '../routing.ts';
import { componentSchemas, type SchemaName } from '../schemas/components.ts';
import { bodyValidator } from './body.ts';

const withBody = createRoutes(operations, '', bodyValidator).filter(({ validateBody }) => validateBody);

describe('the body validators', () => {
  // Nothing else would see it before a caller does: schemas are compiled when the first body arrives.
  it.each(withBody.map(({ operation, validateBody }) => [operation.id, validateBody] as const))(
    'compile the schema of %s, and refuse what does not match it',
    (_id, validateBody) => {
      const refusal = () => validateBody?.({ value: 7, values: 1 } as Parameters<typeof validateBody>[0]);
      expect(refusal).toThrow(PatchbayError);
      expect(refusal).toThrow('the body does not match the schema');
    },
  );

  it('compile from valid JSON Schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    for (const name of Object.keys(componentSchemas) as SchemaName[]) {
      expect([ajv.validateSchema(componentSchemas[name]), ajv.errors], name).toEqual([true, null]);
    }
  });

  it('name every allowed value, and the one that was meant', () => {
    const validate = withBody.find(({ operation }) => operation.id === 'createWebhook')?.validateBody;
    const detailOf = (event: string): string | undefined => {
      const value = { url: 'https://example.com', events: [event] };
      try {
        validate?.({ value, values: 4 } as Parameters<typeof validate>[0]);
      } catch (error) {
        return PatchbayError.is(error) ? error.errors[0]?.detail : undefined;
      }
      return undefined;
    };
    expect(detailOf('execution.complete')).toMatch(
      /^must be one of "function.created", .*; did you mean "execution.completed"\?$/,
    );
    expect(detailOf('x'.repeat(1_000))).toMatch(/^must be one of "function.created", .*"$/);
  });

  it('report only the first fault if a body is large', () => {
    const validate = withBody.find(({ operation }) => operation.id === 'chat')?.validateBody;
    const faultsOf = (values: number): number => {
      try {
        validate?.({ value: { messages: [], temperature: 'warm', topP: 7 }, values } as Parameters<typeof validate>[0]);
      } catch (error) {
        return PatchbayError.is(error) ? error.errors.length : -1;
      }
      return 0;
    };
    expect([faultsOf(4), faultsOf(5_001)]).toEqual([3, 1]);
  });
});
