import type { ExecutionJob } from '@patchbay/core/plugin';

/** The form in which a function is stored, to be run later. */
export interface Artifact {
  /** JavaScript module whose default export is the function. */
  readonly module: string;
  readonly language: 'js' | 'ts';
  /** Line of `module` after which the author's lines are one lower than they were written. */
  readonly insertedLine?: number | undefined;
  /** Mappings of a source map, where the module is a translation. */
  readonly mappings?: string;
  /** Which of their sources is the author's text. Absent: there is no other. */
  readonly ownSource?: number;
  /**
   * The property of its output to which the text that a generator yields is added. Absent: there is none, or more than
   * one.
   */
  readonly textProperty?: string;
  /** A position without a mapping is not the author's. */
  readonly isBundle?: boolean;
  /** The built-ins of Node.js that a bundle imports. */
  readonly builtIns?: readonly string[];
  /** It runs once: no process keeps it, or loads it ahead. */
  readonly isProgram?: boolean;
}

const VERSION = 1;

export function encodeArtifact(artifact: Artifact): string {
  return JSON.stringify({ v: VERSION, ...artifact });
}

function decodeArtifact(text: string): Artifact | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isArtifact(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isArtifact(value: unknown): value is Artifact {
  if (typeof value !== 'object' || value === null) return false;
  return 'v' in value && value.v === VERSION && 'module' in value && typeof value.module === 'string';
}

/** The code of a function, for the tenant that it runs for. */
export interface FunctionCode {
  /** Tenant, function and version. */
  readonly key: string;
  readonly tenant: string;
  /** As it is stored. Two jobs with one key have the same text, unless one of them is not ours. */
  readonly text: string;
  readonly artifact: Artifact;
}

/** Undefined for an artifact that this version did not write. */
export function functionCodeOf(job: ExecutionJob, tenant: string): FunctionCode | undefined {
  const artifact = decodeArtifact(job.artifact);
  const key = JSON.stringify([tenant, job.functionId, job.functionVersion]);
  return artifact && { key, tenant, text: job.artifact, artifact };
}

export const isSameCode = (a: FunctionCode, b: FunctionCode): boolean => a.key === b.key && a.text === b.text;
