import path from 'node:path';
import { HelperProcess } from '../helper-process.ts';
import type { TranslateAnswer } from '../translate/translate.ts';

// `.ts` while developing, `.js` where the package was built.
const extension = path.extname(import.meta.url);

/** Starts a process that translates sources. */
export function createTranslator(): HelperProcess<string, TranslateAnswer> {
  return new HelperProcess({
    entry: new URL(`../translate/main${extension}`, import.meta.url),
    heapMb: 256,
    memoryMb: 512,
    deadlineMs: 5_000,
    idleMs: 30_000,
  });
}
