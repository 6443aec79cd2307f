import path from 'node:path';
import type { BundleAnswer, BundleQuestion } from '../bundle/bundle.ts';
import type { TypeCheckQuestion } from '../check/type-checker.ts';
import type { Fault } from '../translate/fault.ts';
import type { TranslateAnswer, TranslateQuestion } from '../translate/translate.ts';
import type { EnterJail } from './helper-jail.ts';
import { HelperPool } from './helper-pool.ts';

// `.ts` while developing, `.js` where the package was built.
const extension = path.extname(import.meta.url);
const entryOf = (folder: string): URL => new URL(`../${folder}/main${extension}`, import.meta.url);

/** The modules that helpers start with. */
export const helperEntries: readonly URL[] = ['translate', 'bundle', 'check'].map((folder) => entryOf(folder));

/** How long an answer may take where nothing tells how much CPU it took; where something does, that counts. */
const deadlineMs = process.platform === 'linux' ? 20_000 : 5_000;
const processes = 2;

/** Parses and translates: small, quick, needed for every save. */
export function createTranslator(enterJail: EnterJail): HelperPool<TranslateQuestion, TranslateAnswer> {
  return new HelperPool({
    entry: entryOf('translate'),
    enterJail,
    processes,
    heapMb: 256,
    memoryMb: 512,
    keptMb: 192,
    cpuMs: 3_000,
    deadlineMs,
    idleMs: 30_000,
  });
}

/** Brings packages into a function: needed for functions that import some. Its CPU is that of a process of its own. */
export function createBundler(enterJail: EnterJail): HelperPool<BundleQuestion, BundleAnswer> {
  return new HelperPool({
    entry: entryOf('bundle'),
    enterJail,
    processes,
    heapMb: 256,
    memoryMb: 512,
    keptMb: 192,
    deadlineMs: 10_000,
    idleMs: 30_000,
  });
}

/** Checks types: some 150 MB and most of a second to start, needed for TypeScript only. */
export function createTypeChecker(enterJail: EnterJail): HelperPool<TypeCheckQuestion, readonly Fault[]> {
  return new HelperPool({
    entry: entryOf('check'),
    enterJail,
    processes,
    heapMb: 512,
    memoryMb: 1024,
    keptMb: 320,
    cpuMs: 3_000,
    deadlineMs,
    idleMs: 60_000,
  });
}
