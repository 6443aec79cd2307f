import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import { type Check, vote } from '../eval-case.ts';
import { outputCheck } from './output-check.ts';

/**
 * The output fits a JSON Schema.
 *
 * @throws Error with the reason for a schema that cannot be used.
 */
export function fitsSchema(schema: object): Check {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, code: { regExp: linearRegExp }, logger: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  return outputCheck('schema', 'an output that fits the schema', (output) => {
    const isRight = validate(output);
    return isRight
      ? vote(true)
      : { ...vote(false), reason: ajv.errorsText(validate.errors, { dataVar: 'the output' }) };
  });
}

/** The engine for patterns, as in the schemas of functions: in linear time. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // The schema compiler treats patterns with the same text as one.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearRegExp' },
);
