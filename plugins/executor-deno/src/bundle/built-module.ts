import type { Metafile, OutputFile } from 'esbuild';
import { OWN } from './module-options.ts';
import { withoutFolders } from './without-folders.ts';

/** A module that esbuild made with `moduleOptions`. */
export interface BuiltModule {
  readonly module: string;
  readonly mappings: string;
  /** Which of the sources in the mappings is the author's text. */
  readonly ownSource: number;
  readonly outputs: readonly Metafile['outputs'][string][];
}

export function builtModule(built: {
  readonly outputFiles: readonly OutputFile[];
  readonly metafile: Metafile;
}): BuiltModule {
  const textOf = (end: string): string => built.outputFiles.find((file) => file.path.endsWith(end))?.text ?? '';
  const { mappings, sources } = JSON.parse(textOf('.map')) as { mappings: string; sources: readonly string[] };
  const outputs = Object.values(built.metafile.outputs);
  const files = outputs.flatMap(({ inputs }) => Object.keys(inputs));
  return { module: withoutFolders(textOf('.js'), files), mappings, ownSource: sources.indexOf(OWN), outputs };
}
