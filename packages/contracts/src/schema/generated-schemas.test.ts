import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../json-schema.ts';
import { compileSchema } from './compile-schema.ts';
import { checkSchema } from './schema-profile.ts';

// Written by zod 4.6.7, valibot 1.5.0 (@valibot/to-json-schema 1.8.0), arktype 2.2.9, typebox 1.4.3 and 0.34.52, and
// pydantic 2.13.4, from our own models. Nothing was changed by hand.
interface Generated {
  readonly name: string;
  readonly schema: Schema;
  readonly valid: unknown;
  readonly invalid: unknown;
}

const cases = ['zod', 'valibot', 'arktype', 'typebox', 'pydantic'].flatMap((tool) => {
  const text = readFileSync(new URL(`./fixtures/${tool}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as Generated[]).map((generated) => ({ tool, ...generated }));
});

describe('schemas that tools generate', () => {
  it('are at least 60', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  it.each(cases)('$tool: $name is accepted, and tells a valid value from an invalid one', (generated) => {
    const { schema } = generated;
    expect(checkSchema(schema as Readonly<Record<string, unknown>>, '/input')).toEqual([]);
    const compiled = compileSchema(schema, { fillDefaults: true });
    expect(compiled.validate(structuredClone(generated.valid), '')).toEqual([]);
    expect(compiled.validate(structuredClone(generated.invalid), '')).not.toEqual([]);
  });
});
