import type { BundledPackage } from '../executor.ts';
import type { FunctionSettings } from '../function-settings.ts';
import type { Schema, SchemaType } from '../json-schema.ts';
import { json, jsonOrNull, rowFields } from './fields.ts';

/** A member of the inputs of an observed name: its JSON types, and the number of calls with it. Never a value. */
export interface ObservedMember {
  readonly types: readonly SchemaType[];
  readonly count: number;
}

/** The current state of a function. `revision` is also the number of its newest version. */
export const functions = {
  fields: {
    ...rowFields,
    name: 'string',
    /**
     * The name as an identifier, by which clients may call the function: see `nameKey`. Null in rows from before this
     * field existed.
     */
    key: 'string?',
    description: 'text',
    input: json<Schema>(),
    output: json<Schema>(),
    code: 'text',
    /** Result of the executor's `prepare` for `code`. */
    artifact: 'text',
    /** The bundle that runs in place of the code. */
    bundleId: 'string?',
    packages: jsonOrNull<readonly BundledPackage[]>(),
    /** SHA-256, in hex, of name, description, schemas, code and bundle. */
    contentHash: 'string',
    createdAt: 'time',
    updatedAt: 'time',
  },
  sort: ['createdAt', 'updatedAt', 'name'],
  filter: ['name', 'key'],
  unique: [],
} as const;

/** A version of a function. Never changed; deleted with its function. */
export const functionVersions = {
  fields: {
    ...rowFields,
    functionId: 'string',
    /** The function's revision that this row keeps. */
    version: 'integer',
    name: 'string',
    description: 'text',
    input: json<Schema>(),
    output: json<Schema>(),
    code: 'text',
    bundleId: 'string?',
    packages: jsonOrNull<readonly BundledPackage[]>(),
    contentHash: 'string',
    createdAt: 'time',
    /** Principal that wrote the version. */
    createdBy: 'string',
  },
  sort: ['version'],
  filter: ['functionId', 'version'],
  unique: [],
} as const;

/**
 * A module that runs in place of the code of a function, with what the code imports. Never changed; the id is the
 * function's, a slash and the hash of the content, so that versions with the same bundle share it.
 */
export const functionBundles = {
  fields: {
    ...rowFields,
    functionId: 'string',
    module: 'text',
    /** Of the source map of the module. Empty: there is none. */
    mappings: 'text',
    /** The source in the mappings that is the code. */
    source: 'integer',
    packages: json<readonly BundledPackage[]>(),
    createdAt: 'time',
  },
  sort: ['createdAt'],
  filter: ['functionId'],
  unique: [],
} as const;

/** The head of the versions of a function's model settings. The id is the function's. */
export const functionSettings = {
  fields: {
    ...rowFields,
    functionId: 'string',
    /** The newest version. */
    latest: 'integer',
    /** The version that each label points to. */
    labels: json<Readonly<Record<string, number>>>(),
    /** The experiment that divides the calls of a label among versions. */
    experiment: jsonOrNull<{ readonly id: string; readonly label: string }>(),
    updatedAt: 'time',
    updatedBy: 'string',
  },
  sort: ['updatedAt'],
  filter: ['functionId'],
  unique: [],
} as const;

/** A version of the settings. Never changed; the id is the function's, a slash and the version. */
export const settingsVersions = {
  fields: {
    ...rowFields,
    functionId: 'string',
    version: 'integer',
    values: json<FunctionSettings>(),
    createdAt: 'time',
    createdBy: 'string',
  },
  sort: ['version'],
  filter: ['functionId'],
  unique: [],
} as const;

/** A name that was called without a stored function. */
export const observedNames = {
  fields: {
    ...rowFields,
    name: 'string',
    count: 'integer',
    /** Number of calls rejected because models may not serve unknown functions. */
    refused: 'integer',
    firstSeenAt: 'time',
    lastSeenAt: 'time',
    /** By the name of the member; the first 50. */
    input: json<Readonly<Record<string, ObservedMember>>>(),
    /** The output schema that a call declared last. Null if none did, or if it is too long. */
    output: jsonOrNull<Schema>(),
  },
  sort: ['lastSeenAt', 'count'],
  filter: [],
  unique: [],
} as const;
