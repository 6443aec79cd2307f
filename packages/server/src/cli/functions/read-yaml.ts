import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../cli-failure.ts';

/** A YAML file with the positions of its values. */
export interface ReadYaml {
  readonly value: Record<string, unknown>;
  /** `line:column` of a value, or of what is nearest above it. */
  readonly placeOf: (path: readonly (string | number)[]) => string;
}

/** @throws UsageError */
export async function readYaml(file: string): Promise<ReadYaml> {
  const text = await readIfThere(file);
  if (text === undefined) throw new UsageError(`${file} does not exist`);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [error] = document.errors;
  if (error) {
    const { line = 1, col = 1 } = error.linePos?.[0] ?? {};
    throw new UsageError(`${file}:${line}:${col} ${error.message.split('\n')[0]}`);
  }
  const value = document.toJS() as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${file} must be a map`);
  }
  return {
    value: value as Record<string, unknown>,
    placeOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true);
        if (!isNode(node) || !node.range) continue;
        const { line, col } = lineCounter.linePos(node.range[0]);
        return `${line}:${col}`;
      }
      return '1:1';
    },
  };
}

export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
