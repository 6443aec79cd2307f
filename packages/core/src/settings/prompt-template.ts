import type { JsonObject, JsonValue } from '../contracts/json.ts';

/** What a template is filled with. */
export interface TemplateValues {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}

// Blanks are taken off afterwards: a pattern that takes them off itself tries every way to share out a run of them.
const placeholder = /\{\{([^{}]*)\}\}/g;
const known = /^(?:name|description|input(?:\.[^\s.{}]+)*)$/;

/** The placeholders of a template that mean nothing. */
export function unknownPlaceholders(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].flatMap(([whole, path = '']) => (known.test(path.trim()) ? [] : [whole]));
}

/** Fill in a template. Text stands there as it is, everything else as JSON, and nothing where there is no value. */
export function fillTemplate(template: string, values: TemplateValues): string {
  return template.replaceAll(placeholder, (whole, given: string) => {
    const path = given.trim();
    if (!known.test(path)) return whole;
    const [root = '', ...names] = path.split('.');
    let value: JsonValue | undefined = values[root as keyof TemplateValues];
    for (const name of names) value = member(value, name);
    if (value === undefined) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
}
