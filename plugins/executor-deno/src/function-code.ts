/** What is stored with a function and given back to run it. */
export interface Artifact {
  /** JavaScript module whose default export is the function. */
  readonly module: string;
  readonly language: 'js' | 'ts';
  /** Line of `module` below which the author's lines stand one lower than they were written. */
  readonly insertedLine?: number;
  /** Mappings of a source map, where the module is a translation. */
  readonly mappings?: string;
  /** Which of their sources is the author's text. Absent: there is no other. */
  readonly ownSource?: number;
}

const VERSION = 1;

export function encodeArtifact(artifact: Artifact): string {
  return JSON.stringify({ v: VERSION, ...artifact });
}

/** Undefined for what this version did not write. */
export function decodeArtifact(text: string): Artifact | undefined {
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
