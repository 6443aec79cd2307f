import path from 'node:path';
import type { Schema } from '@patchbay/core/plugin';
import ts from 'typescript-api';
import { type Fault, MAX_FAULTS, type Place } from '../translate/fault.ts';
import type { InstalledPackage } from '../translate/packages.ts';
import type { TypedModule } from '../translate/translation.ts';
import { type ContractClause, contractModule, schemaDeclarations } from './contract-module.ts';
import { environmentDeclarations, unknownTools } from './environment.ts';

interface ModuleToCheck {
  readonly insertedLine?: number | undefined;
  /** Packages that may be imported. */
  readonly packages: readonly InstalledPackage[];
}

/** A function, which must fit its schemas. */
interface FunctionToCheck extends ModuleToCheck {
  readonly module: TypedModule;
  readonly input: Schema;
  readonly output: Schema;
  /** Declarations of mounted tools. Default: there can be any. */
  readonly declarations?: string | undefined;
}

/** A program, and declarations of what it finds. */
interface ProgramToCheck extends ModuleToCheck {
  readonly module: Pick<TypedModule, 'text'>;
  readonly declarations: string;
}

export type TypeCheckQuestion = FunctionToCheck | ProgramToCheck;

const SCHEMAS = '/schemas.d.ts';
const ENVIRONMENT = '/environment.d.ts';
const PACKAGES = '/node_modules';
const MAX_DETAIL = 1000;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2025.d.ts', 'lib.esnext.disposable.d.ts'],
  types: [],
  strict: true,
  noImplicitAny: false,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

/**
 * Without annotations, `const all = []` has the type of what is pushed, and `let last = null` that of what is assigned,
 * as in any program of TypeScript.
 */
const programOptions: ts.CompilerOptions = { ...options, noImplicitAny: true };

/** Implicit `any`, which is not an error here: 7000 to 7057, except for the type of `this`. */
function isImplicitAny({ code }: Pick<ts.Diagnostic, 'code'>): boolean {
  return code >= 7000 && code <= 7057 && code !== 7041;
}

const prefixes: Readonly<Record<ContractClause, string>> = {
  parameter: 'The function does not take what the input schema gives it',
  result: 'The function does not return what the output schema asks for',
  extra: 'The function returns properties that the output schema does not allow',
};

/** The files that code can import types from. */
export interface ModuleFiles {
  /** Make these packages importable, and no others. */
  mount(packages: readonly InstalledPackage[]): void;
  has(file: string): boolean;
  hasFolder(folder: string): boolean;
  read(file: string): string | undefined;
  /** Where a link leads. Default: there are no links. */
  realpath?(file: string): string;
}

/** A check that reads the libraries of the language: most of a second, which no request then waits for. */
export function createTypeCheck(): (question: TypeCheckQuestion) => readonly Fault[] {
  const checker = new TypeChecker();
  const start = { line: 1, column: 1 };
  const module = { text: 'export default () => ({})', parameter: start, result: start };
  checker.check({ module, input: {}, output: {}, packages: [] });
  return (question) => {
    try {
      return checker.check(question);
    } catch {
      return [{ code: 'too_complex', detail: 'The types are too complex to be checked' }];
    }
  };
}

/** Checks modules sequentially, and reuses the parsed library declarations. */
export class TypeChecker {
  readonly #files = new Map<string, string>([[ENVIRONMENT, environmentDeclarations]]);
  readonly #service: ts.LanguageService;
  readonly #packages: ModuleFiles;
  /** Path of the function: imports are resolved from there. */
  readonly #function: string;
  readonly #contract: string;
  #options = options;
  #version = 0;

  /** @param folder The folder that the function is in, by its path with slashes. Default: the root. */
  constructor(packages: ModuleFiles = new PackageFiles(), folder = '') {
    this.#packages = packages;
    this.#function = `${folder}/function.ts`;
    this.#contract = `${folder}/contract.ts`;
    this.#service = ts.createLanguageService(this.#host());
  }

  check(question: TypeCheckQuestion): readonly Fault[] {
    const faults = 'input' in question ? this.#checkFunction(question) : this.#checkProgram(question);
    return faults.slice(0, MAX_FAULTS);
  }

  #checkFunction(question: FunctionToCheck): readonly Fault[] {
    const { module, input, output, declarations = unknownTools } = question;
    this.#options = options;
    const contract = contractModule(input, output);
    const own = this.#ownFaults(question, `${schemaDeclarations(input, output)}${declarations}`, contract.text);
    const ofContract = this.#service.getSemanticDiagnostics(this.#contract).flatMap((diagnostic) => {
      const clause = contract.clauses.get(placeOf(diagnostic).line - 1);
      return clause === undefined ? [] : [contractFault(diagnostic, clause, module)];
    });
    return [...own, ...ofContract];
  }

  #checkProgram(question: ProgramToCheck): readonly Fault[] {
    this.#options = programOptions;
    return this.#ownFaults(question, question.declarations, '');
  }

  #ownFaults({ module, insertedLine, packages }: TypeCheckQuestion, declarations: string, contract: string) {
    this.#packages.mount(packages);
    this.#version++;
    this.#files.set(this.#function, module.text);
    this.#files.set(SCHEMAS, declarations);
    this.#files.set(this.#contract, contract);
    return [
      ...this.#service.getSyntacticDiagnostics(this.#function),
      ...this.#service.getSemanticDiagnostics(this.#function),
    ]
      .filter((diagnostic) => !isImplicitAny(diagnostic))
      .map((diagnostic) => ownFault(diagnostic, insertedLine));
  }

  /** Files of the compiler's own folder, those above, and those of packages. Nothing else of the machine is looked at. */
  #host(): ts.LanguageServiceHost {
    const libraryFolder = path.dirname(ts.getDefaultLibFilePath(options));
    const read = (file: string): string | undefined =>
      this.#files.get(file) ??
      (path.dirname(file) === libraryFolder ? ts.sys.readFile(file) : this.#packages.read(file));
    return {
      getCompilationSettings: () => this.#options,
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      getScriptFileNames: () => [ENVIRONMENT, SCHEMAS, this.#function, this.#contract],
      getScriptVersion: (file) => (file !== ENVIRONMENT && this.#files.has(file) ? `${this.#version}` : '0'),
      getScriptSnapshot(file) {
        const text = read(file);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      fileExists: (file) => this.#packages.has(file) || read(file) !== undefined,
      readFile: read,
      directoryExists: (folder) => folder === '/' || this.#packages.hasFolder(folder),
      realpath: (file) => this.#packages.realpath?.(file) ?? file,
      getDirectories: () => [],
    };
  }
}

/**
 * The files of packages as the compiler sees them, in a `node_modules` at the root of a file system that has nothing
 * else: declarations, manifests, and nothing that a path leads to outside of the package.
 */
class PackageFiles implements ModuleFiles {
  #folders: ReadonlyMap<string, string> = new Map();

  mount(packages: readonly InstalledPackage[]): void {
    this.#folders = new Map(packages.map(({ name, folder }) => [`${PACKAGES}/${name}`, folder]));
  }

  has(file: string): boolean {
    const found = this.#find(file);
    return found !== undefined && ts.sys.fileExists(found);
  }

  hasFolder(folder: string): boolean {
    if (folder === PACKAGES) return this.#folders.size > 0;
    const isAbove = [...this.#folders.keys()].some((mounted) => mounted.startsWith(`${folder}/`));
    const found = this.#find(folder);
    return isAbove || (found !== undefined && ts.sys.directoryExists(found));
  }

  read(file: string): string | undefined {
    const found = /\.(?:json|[cm]?ts|tsx|[cm]?js)$/u.test(file) ? this.#find(file) : undefined;
    return found === undefined ? undefined : ts.sys.readFile(found);
  }

  #find(place: string): string | undefined {
    const normal = path.posix.normalize(place);
    for (const [mounted, folder] of this.#folders) {
      if (normal === mounted) return folder;
      if (normal.startsWith(`${mounted}/`)) return path.join(folder, normal.slice(mounted.length));
    }
    return undefined;
  }
}

function placeOf({ file, start = 0 }: ts.Diagnostic): Place {
  const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
  return { line: line + 1, column: character + 1 };
}

function ownFault(diagnostic: ts.Diagnostic, insertedLine: number | undefined): Fault {
  const { line, column } = placeOf(diagnostic);
  return {
    code: `ts${diagnostic.code}`,
    detail: textOf(diagnostic.messageText),
    line: insertedLine !== undefined && line > insertedLine ? line - 1 : line,
    column,
  };
}

function contractFault(diagnostic: ts.Diagnostic, clause: ContractClause, module: TypedModule): Fault {
  const { messageText, code } = diagnostic;
  // The outermost message is about the contract module, which the author did not write.
  const reasons = typeof messageText === 'string' ? [] : (messageText.next ?? []);
  // The type that `true` does not fit is the union of the names.
  const names = /type '(.*)'/su.exec(textOf(messageText))?.[1] ?? '';
  const detail = clause === 'extra' ? names : reasons.map(textOf).join(' ');
  const text = `${prefixes[clause]}${detail === '' ? '' : `: ${detail}`}`.slice(0, MAX_DETAIL);
  return { code: `ts${code}`, detail: text, ...(clause === 'parameter' ? module.parameter : module.result) };
}

function textOf(message: string | ts.DiagnosticMessageChain): string {
  return ts.flattenDiagnosticMessageText(message, ' ').replace(/\s+/gu, ' ').slice(0, MAX_DETAIL);
}
