import type { ExecutionJob, Principal } from '@patchbay/core/plugin';
import type { Artifact } from '../function-code.ts';

/** The code that a process has loaded, and for whom. */
export interface Code {
  /** Tenant, function and version. */
  readonly key: string;
  readonly tenant: string;
  /** As it is stored: two jobs of one key have the same, or one of them is none of ours. */
  readonly text: string;
  readonly artifact: Artifact;
}

export function codeOf(job: ExecutionJob, { tenant }: Principal, artifact: Artifact): Code {
  const key = JSON.stringify([tenant, job.functionId, job.functionVersion]);
  return { key, tenant, text: job.artifact, artifact };
}

export const isSameCode = (a: Code, b: Code): boolean => a.key === b.key && a.text === b.text;
