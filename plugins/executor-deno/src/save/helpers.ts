import path from 'node:path';
import type { BundleAnswer, BundleQuestion } from '../bundle/bundle.ts';
import type { TypeCheckQuestion } from '../check/type-checker.ts';
import { HelperProcess } from '../helper-process.ts';
import type { Fault } from '../translate/fault.ts';
import type { TranslateAnswer, TranslateQuestion } from '../translate/translate.ts';

// `.ts` while developing, `.js` where the package was built.
const extension = path.extname(import.meta.url);
const entry = (folder: string): URL => new URL(`../${folder}/main${extension}`, import.meta.url);

/** Parses and translates: small, quick, needed for every save. */
export function createTranslator(): HelperProcess<TranslateQuestion, TranslateAnswer> {
  return new HelperProcess({
    entry: entry('translate'),
    heapMb: 256,
    memoryMb: 512,
    keptMb: 192,
    deadlineMs: 5_000,
    idleMs: 30_000,
  });
}

/** Brings packages into a function: needed for functions that import some. */
export function createBundler(): HelperProcess<BundleQuestion, BundleAnswer> {
  return new HelperProcess({
    entry: entry('bundle'),
    heapMb: 256,
    memoryMb: 512,
    keptMb: 192,
    deadlineMs: 10_000,
    idleMs: 30_000,
  });
}

/** Checks types: some 150 MB and most of a second to start, needed for TypeScript only. */
export function createTypeChecker(): HelperProcess<TypeCheckQuestion, readonly Fault[]> {
  return new HelperProcess({
    entry: entry('check'),
    heapMb: 512,
    memoryMb: 1024,
    keptMb: 320,
    deadlineMs: 5_000,
    idleMs: 60_000,
  });
}
