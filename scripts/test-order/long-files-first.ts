import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longFiles } from './long-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts the files of `long-files.ts` first, in its order, then the others as Vitest orders them: by their last duration
 * or, on a fresh clone, by their size, which says nothing about a fault run of ten lines.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longFiles.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
      return place === -1 ? longFiles.length : place;
    };
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
