import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Check } from '../eval-case.ts';
import { type CheckDependencies, createChecks, type WrittenChecks } from './create-checks.ts';
import schema from './tests.schema.json' with { type: 'json' };

type Path = readonly (string | number)[];

/** A parsed YAML file, with the positions of its values. */
export interface ParsedFile {
  readonly file: string;
  readonly value: unknown;
  /** `line:column` of a value, or of what is nearest above it. */
  readonly placeOf: (path: Path) => string;
}

/** One of `tests`. */
export interface FunctionTest {
  readonly name: string;
  readonly input: object;
  readonly checks: readonly Check[];
  /** `line:column`. */
  readonly place: string;
}

/** A `tests.yaml`. */
export interface TestsFile {
  readonly tests: readonly FunctionTest[];
  /** The checks of answers to an example of the dataset. Undefined: the file declares none. */
  readonly checksOfExample: ((expected: unknown) => readonly Check[]) | undefined;
}

/** A file of tests that cannot be used. Each line of the message begins with `file:line:column`. */
export class TestsFileError extends Error {
  override readonly name = 'UsageError';
}

interface WrittenTest extends WrittenChecks {
  readonly name?: string;
  readonly input?: object;
  readonly expected?: object;
}

interface WrittenFile {
  readonly tests?: readonly WrittenTest[];
  readonly dataset?: WrittenChecks;
}

/**
 * Read a `tests.yaml`.
 *
 * @throws TestsFileError with every fault.
 */
export function readTests({ file, value, placeOf }: ParsedFile, dependencies: CheckDependencies): TestsFile {
  const faults: string[] = [];
  const fail = (path: Path, text: string): void => void faults.push(`${file}:${placeOf(path)} ${text}`);
  for (const { path, text } of faultsOf(value)) fail(path, text);
  if (faults.length > 0) throw new TestsFileError(faults.join('\n'));
  const { tests = [], dataset } = value as WrittenFile;
  const read = tests.map((test, index) => {
    const { name = `test ${index + 1}`, input = {}, expected, ...written } = test;
    const path = ['tests', index];
    const checks = createChecks(written, expected, dependencies, (check, reason) => fail([...path, check], reason));
    const names = Object.keys(written).join(', ');
    if (names === '') fail(path, `needs a check: one of ${Object.keys(checkNames).join(', ')}`);
    if (written.error !== undefined && names !== 'error') fail(path, `cannot have error beside other checks: ${names}`);
    return { name, input, checks, place: placeOf(path) };
  });
  const checksOfExample = dataset && ((expected: unknown) => createChecks(dataset, expected, dependencies, noFault));
  if (dataset) createChecks(dataset, {}, dependencies, (check, reason) => fail(['dataset', check], reason));
  if (faults.length > 0) throw new TestsFileError(faults.join('\n'));
  return { tests: read, checksOfExample };
}

const { name: _name, input: _input, expected: _expected, ...checkNames } = schema.properties.tests.items.properties;

/** Every check has been created once before. */
const noFault = (): void => undefined;

function faultsOf(value: unknown): readonly { readonly path: Path; readonly text: string }[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true, verbose: true });
  const validate = ajv.compile(schema);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  if (errors.some(({ schemaPath }) => schemaPath === '#/anyOf')) {
    return [{ path: [], text: 'the file needs tests or dataset' }];
  }
  // That none of several forms fits adds nothing to what is wrong with the intended one.
  const told = errors.filter(({ keyword }) => !['anyOf', 'propertyNames'].includes(keyword));
  return (told.length > 0 ? told : errors).map(describe);
}

function describe({ keyword, instancePath, params, message, parentSchema }: ErrorObject) {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const shown = path.length === 0 ? 'the file' : path.join('.');
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']);
    const known = Object.keys(Object(parentSchema?.['properties'])).join(', ');
    return { path: [...path, name], text: `has an unknown member "${name}"; there are ${known}` };
  }
  const meaning = keyword === 'pattern' ? parentSchema?.['$comment'] : undefined;
  return { path, text: `${shown} ${String(meaning ?? message)}` };
}
