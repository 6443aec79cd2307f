import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Executor, type FunctionSource, PatchbayError, type RequestContext } from '@patchbay/core/plugin';
import type { BundleAnswer, BundleQuestion } from '../bundle/bundle.ts';
import type { GivenBundleAnswer, GivenBundleQuestion } from '../bundle/given-bundle.ts';
import { environmentFiles } from '../check/environment.ts';
import { textProperty } from '../check/text-property.ts';
import type { TypeCheckQuestion } from '../check/type-checker.ts';
import type { ExecutorConfig } from '../config.ts';
import { type Artifact, encodeArtifact } from '../run/protocol.ts';
import type { Fault } from '../translate/fault.ts';
import { findPackages, type InstalledPackage } from '../translate/packages.ts';
import type { TranslateQuestion } from '../translate/translate.ts';
import type { TranslateAnswer, Translation } from '../translate/translation.ts';
import type { EnterJail } from './helper-jail.ts';
import { HelperPool, type HelperPoolOptions } from './helper-pool.ts';
import type { Answer } from './helper-process.ts';

const MAX_CODE_BYTES = 262_144;
/** Maximum size of a function together with packages of the server. */
const MAX_ARTIFACT_BYTES = 1_048_576;
/** Maximum size of one text in a storage. */
const MAX_TEXT_BYTES = 8_388_608;

// `.ts` while developing, `.js` where the package was built.
const moduleOf = (name: string): URL => new URL(`${name}${path.extname(import.meta.url)}`, import.meta.url);
const entry = moduleOf('./helper-main');
const workModules = [
  '../translate/translate',
  '../bundle/bundle',
  '../bundle/given-bundle',
  '../check/type-checker',
  '../system-process',
];
/** Packages that the helpers load. */
const tools = ['typescript-api', 'oxc-parser', 'oxc-transform', 'esbuild'];

/** Limits of all helpers. If CPU usage is not reported, the deadline applies instead. */
const limits = {
  processes: 2,
  cpuMs: 3_000,
  longMs: 500,
  deadlineMs: process.platform === 'linux' ? 20_000 : 5_000,
  idleMs: 30_000,
};

/** The text of a program, and the types of what it calls. */
export type ProgramSource = Parameters<NonNullable<Executor['prepareProgram']>>[0];

export interface PreparerOptions extends Pick<ExecutorConfig, 'typeCheck' | 'imports'> {
  /** Folder from which packages are looked for. Default: the working directory. */
  readonly directory?: string | undefined;
  /** CPU milliseconds that each step of a save may take. Default: 3000. */
  readonly saveCpuMs?: number | undefined;
}

/** Turns the source of a function into what is stored and run, when the function is saved. */
export class SourcePreparer {
  #enterJail: EnterJail = (command) => command;
  /** Parses and translates: small, quick, needed for every save. */
  readonly #translator: HelperPool<TranslateQuestion, TranslateAnswer>;
  /** Checks types: some 150 MB and most of a second to start, needed for TypeScript only. */
  readonly #typeChecker: HelperPool<TypeCheckQuestion, readonly Fault[]>;
  /** Brings packages into a function: needed for functions that import some. The program of esbuild counts as well. */
  readonly #bundler: HelperPool<BundleQuestion, BundleAnswer>;
  /** Checks the bundles that callers made: up to 5 MiB, of which no tree is built. */
  readonly #admitter: HelperPool<GivenBundleQuestion, GivenBundleAnswer>;
  readonly #options: PreparerOptions;
  #packages: readonly InstalledPackage[] = [];

  constructor(options: PreparerOptions) {
    this.#options = options;
    this.#translator = this.#pool('translate', { heapMb: 256, memoryMb: 512, keptMb: 192 });
    this.#typeChecker = this.#pool('check', { heapMb: 512, memoryMb: 1024, keptMb: 320, idleMs: 60_000 });
    const deadlineMs = Math.max(limits.deadlineMs, 10_000);
    this.#bundler = this.#pool('bundle', { heapMb: 256, memoryMb: 768, keptMb: 256, deadlineMs });
    this.#admitter = this.#pool('admit', { heapMb: 256, memoryMb: 768, keptMb: 192, deadlineMs: 10_000 });
  }

  /** @throws PatchbayError `plugin_start_failed` for a package that is not installed as configured. */
  async start(): Promise<void> {
    const { imports = {}, directory = process.cwd() } = this.#options;
    this.#packages = await findPackages(imports, directory);
  }

  /** Have the helpers start in a jail from now on. */
  enterJail(enterJail: EnterJail): void {
    this.#enterJail = enterJail;
  }

  /** Files that the helpers read, one of each folder. */
  get files(): readonly string[] {
    const modules = [entry, ...workModules.map(moduleOf), ...environmentFiles];
    return [
      ...[...modules, ...tools.map((name) => import.meta.resolve(name))].map((url) => fileURLToPath(url)),
      ...this.#packages.map(({ folder }) => path.join(folder, 'package.json')),
    ];
  }

  /** @throws PatchbayError `code_invalid`, `overloaded`, `executor_unavailable`. */
  async prepare(source: FunctionSource, context: RequestContext): Promise<string> {
    const { code } = source;
    checkLength(code);
    if (code.trim() === '') throw codeInvalid([{ code: 'no_function', detail: 'The code is empty' }]);
    const property = textProperty(source.output);
    const text = property === undefined ? {} : { textProperty: property };
    if (source.bundle) return await this.#prepareBundle(code, source.bundle, text, context);
    const packages = this.#packages.map(({ name }) => name);
    const translation = await this.#translate({ code, packages }, context);
    const { kind: _, typed, hasImports, ...translated } = translation;
    const artifact = { ...translated, ...text };
    const mode = this.#options.typeCheck;
    if (typed !== undefined && mode !== 'off') {
      const { input, output, declarations } = source;
      const { insertedLine } = artifact;
      const question = { module: typed, insertedLine, input, output, declarations, packages: this.#packages };
      const faults = await this.#checkTypes(question, context);
      if (faults.length > 0 && mode === 'error') throw codeInvalid(faults);
      if (faults.length > 0) context.logger.warn('a function with type errors was saved', { errors: faults });
    }
    if (!hasImports) return encodeArtifact(artifact);
    const bundled = encodeArtifact({ ...(await this.#bundle(translation, context)), ...text });
    if (Buffer.byteLength(bundled) <= MAX_ARTIFACT_BYTES) return bundled;
    const detail = `With its imports, the function has more than ${MAX_ARTIFACT_BYTES} bytes`;
    throw codeInvalid([{ code: 'too_large', detail }]);
  }

  /**
   * Its author is the one who runs it, so that a type error is never only logged.
   *
   * @throws PatchbayError as `prepare`.
   */
  async prepareProgram({ code, declarations }: ProgramSource, context: RequestContext): Promise<string> {
    checkLength(code);
    const translation = await this.#translate({ program: code }, context);
    const { kind: _, typed, hasImports: __, ...artifact } = translation;
    if (typed !== undefined && this.#options.typeCheck !== 'off') {
      const { insertedLine } = artifact;
      const question = { module: typed, insertedLine, declarations, packages: [] };
      const faults = await this.#checkTypes(question, context);
      if (faults.length > 0) throw codeInvalid(faults);
    }
    return encodeArtifact({ ...artifact, isProgram: true });
  }

  async stop(): Promise<void> {
    const pools = [this.#translator, this.#typeChecker, this.#bundler, this.#admitter];
    await Promise.all(pools.map((pool) => pool.stop()));
  }

  #pool<Question, Value>(
    task: string,
    own: Pick<HelperPoolOptions, 'heapMb' | 'memoryMb' | 'keptMb'> & Partial<HelperPoolOptions>,
  ): HelperPool<Question, Value> {
    const { saveCpuMs: cpuMs = limits.cpuMs } = this.#options;
    return new HelperPool({ entry, task, enterJail: (command) => this.#enterJail(command), ...limits, cpuMs, ...own });
  }

  async #translate(question: TranslateQuestion, context: RequestContext): Promise<Translation> {
    const answer = await ask(this.#translator, question, context);
    if (answer.kind !== 'answer') {
      const detail = 'The code nests too deeply, or is too complex, to be parsed';
      throw codeInvalid([{ code: 'too_complex', detail }]);
    }
    if (answer.value.kind === 'faults') throw codeInvalid(answer.value.faults);
    return answer.value;
  }

  async #checkTypes(question: TypeCheckQuestion, context: RequestContext): Promise<readonly Fault[]> {
    const answer = await ask(this.#typeChecker, question, context);
    if (answer.kind === 'answer') return answer.value;
    if (answer.kind === 'timed_out') {
      return [{ code: 'type_check_timeout', detail: 'The types take too long to be checked' }];
    }
    return [{ code: 'too_complex', detail: 'The types are too complex to be checked' }];
  }

  /** The types of packages are not here: code is checked against them where its bundle is made. */
  async #prepareBundle(
    code: string,
    { module, mappings, source }: NonNullable<FunctionSource['bundle']>,
    text: Pick<Artifact, 'textProperty'>,
    context: RequestContext,
  ): Promise<string> {
    const { language } = await this.#translate({ code, packages: 'any' }, context);
    const answer = await ask(this.#admitter, { module, mappings, source }, context);
    if (answer.kind !== 'answer') {
      const detail = 'The module takes too long to be parsed, or is too complex';
      throw codeInvalid([{ pointer: '/bundle/module', code: 'too_complex', detail }]);
    }
    if (answer.value.kind === 'faults') throw codeInvalid(answer.value.faults);
    const { mappings: own, builtIns } = answer.value;
    const artifact = encodeArtifact({ module, language, mappings: own, builtIns, isBundle: true, ...text });
    if (Buffer.byteLength(artifact) <= MAX_TEXT_BYTES) return artifact;
    const detail = `The module has more than ${MAX_TEXT_BYTES} bytes as JSON`;
    throw codeInvalid([{ pointer: '/bundle/module', code: 'too_large', detail }]);
  }

  async #bundle({ language, module, typed, insertedLine }: Translation, context: RequestContext): Promise<Artifact> {
    // From the text with its types: one map leads all the way back.
    const question = { text: typed?.text ?? module, language, insertedLine, packages: this.#packages };
    const answer = await ask(this.#bundler, question, context);
    if (answer.kind !== 'answer') {
      const detail = 'The code takes too long to be brought together with its imports';
      throw codeInvalid([{ code: 'too_complex', detail }]);
    }
    if (answer.value.kind === 'faults') throw codeInvalid(answer.value.faults);
    const { kind: _, ...bundled } = answer.value;
    return { ...bundled, language, insertedLine };
  }
}

type Finished<T> = Exclude<Answer<T>, { readonly kind: 'unavailable' }>;

async function ask<Q, A>(
  pool: HelperPool<Q, A>,
  question: Q,
  { caller: { tenant }, signal }: RequestContext,
): Promise<Finished<A>> {
  if (pool.isFull(tenant)) {
    throw new PatchbayError('overloaded', 'Too many functions are being saved', { retryAfter: 1 });
  }
  const answer = await pool.ask(tenant, question, signal);
  if (answer.kind === 'unavailable') {
    throw new PatchbayError('executor_unavailable', 'Functions cannot be saved right now', { retryAfter: 1 });
  }
  return answer;
}

function checkLength(code: string): void {
  if (Buffer.byteLength(code) <= MAX_CODE_BYTES) return;
  throw codeInvalid([{ code: 'too_large', detail: `The code has more than ${MAX_CODE_BYTES} bytes` }]);
}

function codeInvalid(faults: readonly Fault[]): PatchbayError {
  const [first] = faults;
  const place = first?.line === undefined ? '' : ` (line ${first.line}, column ${first.column})`;
  return new PatchbayError('code_invalid', `${first?.detail ?? 'The code cannot be used'}${place}`, {
    errors: faults.map((fault) => ({ pointer: '/code', ...fault })),
  });
}
