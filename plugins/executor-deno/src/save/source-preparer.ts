import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FunctionSource, PatchbayError, type RequestContext } from '@patchbay/core/plugin';
import { type Artifact, encodeArtifact } from '../function-code.ts';
import type { Fault } from '../translate/fault.ts';
import { findPackages, type InstalledPackage } from '../translate/packages.ts';
import type { Translation } from '../translate/translate.ts';
import type { EnterJail } from './helper-jail.ts';
import type { HelperPool } from './helper-pool.ts';
import type { Answer } from './helper-process.ts';
import { createBundler, createTranslator, createTypeChecker, helperEntries } from './helpers.ts';

/** What a type error does: the save is refused, the error is logged, or nobody looks. */
export type TypeCheckMode = 'error' | 'warn' | 'off';

const MAX_CODE_BYTES = 262_144;
/** What the helpers are made of. */
const TOOLS = ['typescript-api', 'oxc-parser', 'oxc-transform', 'esbuild'];
/** What a storage keeps in one text. */
const MAX_ARTIFACT_BYTES = 1_048_576;

export interface PreparerOptions {
  readonly typeCheck: TypeCheckMode;
  /** Packages that may be imported, with the exact version of each. */
  readonly imports?: Readonly<Record<string, string>> | undefined;
  /** From where packages are looked for. */
  readonly directory?: string | undefined;
}

/** Everything that happens to a source when a function is saved. */
export class SourcePreparer {
  #enterJail: EnterJail = (command) => command;
  readonly #inJail: EnterJail = (command) => this.#enterJail(command);
  readonly #translator = createTranslator(this.#inJail);
  readonly #typeChecker = createTypeChecker(this.#inJail);
  readonly #bundler = createBundler(this.#inJail);
  readonly #options: PreparerOptions;
  readonly #mode: TypeCheckMode;
  #packages: readonly InstalledPackage[] = [];

  constructor(options: PreparerOptions) {
    this.#options = options;
    this.#mode = options.typeCheck;
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
    return [
      ...[...helperEntries, ...TOOLS.map((name) => import.meta.resolve(name))].map((url) => fileURLToPath(url)),
      ...this.#packages.map(({ folder }) => path.join(folder, 'package.json')),
    ];
  }

  /** @throws PatchbayError `code_invalid`, `overloaded`, `executor_unavailable`. */
  async prepare(source: FunctionSource, context: RequestContext): Promise<string> {
    const { code } = source;
    if (Buffer.byteLength(code) > MAX_CODE_BYTES) {
      throw codeInvalid([{ code: 'too_large', detail: `The code has more than ${MAX_CODE_BYTES} bytes` }]);
    }
    if (code.trim() === '') throw codeInvalid([{ code: 'no_function', detail: 'The code is empty' }]);
    const translation = await this.#translate(code, context);
    const { kind: _, typed, hasImports, ...artifact } = translation;
    if (typed !== undefined && this.#mode !== 'off') {
      const faults = await this.#checkTypes({ ...artifact, typed }, source, context);
      if (faults.length > 0 && this.#mode === 'error') throw codeInvalid(faults);
      if (faults.length > 0) context.logger.warn('a function with type errors was saved', { errors: faults });
    }
    if (!hasImports) return encodeArtifact(artifact);
    const bundled = encodeArtifact(await this.#bundle(translation, context));
    if (Buffer.byteLength(bundled) <= MAX_ARTIFACT_BYTES) return bundled;
    throw codeInvalid([
      { code: 'too_large', detail: `With its imports, the function has more than ${MAX_ARTIFACT_BYTES} bytes` },
    ]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#translator.stop(), this.#typeChecker.stop(), this.#bundler.stop()]);
  }

  async #translate(code: string, context: RequestContext): Promise<Translation> {
    const answer = await ask(this.#translator, { code, packages: this.#packages.map(({ name }) => name) }, context);
    if (answer.kind !== 'answer') {
      const detail = 'The code nests too deeply, or is too complex, to be parsed';
      throw codeInvalid([{ code: 'too_complex', detail }]);
    }
    if (answer.value.kind === 'faults') throw codeInvalid(answer.value.faults);
    return answer.value;
  }

  async #bundle({ language, module, typed, insertedLine }: Translation, context: RequestContext): Promise<Artifact> {
    const inserted = insertedLine === undefined ? {} : { insertedLine };
    // From the text with its types: one map leads all the way back.
    const question = { text: typed?.text ?? module, language, ...inserted, packages: this.#packages };
    const answer = await ask(this.#bundler, question, context);
    if (answer.kind !== 'answer') {
      throw codeInvalid([
        { code: 'too_complex', detail: 'The code takes too long to be brought together with its imports' },
      ]);
    }
    if (answer.value.kind === 'faults') throw codeInvalid(answer.value.faults);
    const { kind: _, ...bundled } = answer.value;
    return { ...bundled, language, ...inserted };
  }

  async #checkTypes(
    { typed, insertedLine }: Pick<Translation, 'insertedLine'> & Required<Pick<Translation, 'typed'>>,
    { input, output }: FunctionSource,
    context: RequestContext,
  ): Promise<readonly Fault[]> {
    const inserted = insertedLine === undefined ? {} : { insertedLine };
    const answer = await ask(
      this.#typeChecker,
      { module: typed, ...inserted, input, output, packages: this.#packages },
      context,
    );
    if (answer.kind === 'answer') return answer.value;
    if (answer.kind === 'timed_out') {
      return [{ code: 'type_check_timeout', detail: 'The types take too long to be checked' }];
    }
    return [{ code: 'too_complex', detail: 'The types are too complex to be checked' }];
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

function codeInvalid(faults: readonly Fault[]): PatchbayError {
  const [first] = faults;
  const place = first?.line === undefined ? '' : ` (line ${first.line}, column ${first.column})`;
  return new PatchbayError('code_invalid', `${first?.detail ?? 'The code cannot be used'}${place}`, {
    errors: faults.map((fault) => ({ pointer: '/code', ...fault })),
  });
}
