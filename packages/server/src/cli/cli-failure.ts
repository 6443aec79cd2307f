import type { APIError } from '@patchbay/client';
import { CommanderError } from 'commander';
import { describeFailure } from '../failure-text.ts';

/** How the command `patchbay` ends. Scripts may rely on these. */
export const exitCodes = {
  ok: 0,
  /** It was tried and failed, or a check found something. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No credentials, wrong ones, or too few scopes. */
  access: 3,
  /** The named thing does not exist. */
  notFound: 4,
  /** Local and remote state differ, or someone else changed the remote one. */
  drift: 5,
  /** The config is wrong: starting again will not help. `EX_CONFIG` of sysexits. */
  config: 78,
  /** The reader of standard output is gone: `SIGPIPE`, as for other commands in a pipe. */
  closedPipe: 141,
} as const;

/** The command line, or a file that it names, is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The outcome of a command that failed. */
export interface CliFailure {
  /** For people; one line or more. Empty if everything was already printed. */
  readonly text: string;
  /** For `--json`. */
  readonly error: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
}

/** @param command How the command line is called here, for hints that can be pasted. */
export function describeCliFailure(error: unknown, command: string): CliFailure {
  if (error instanceof CommanderError) {
    // Commander has printed what it had to say.
    const exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return { text: '', error: { code: error.code, detail: error.message.replace(/^error: /, '') }, exitCode };
  }
  if (isOfClient(error, 'APIError')) return describeProblem(error as APIError, command);
  if (isOfClient(error, 'ConnectionError')) {
    const hint = `start one with "${command} serve", or name another with --url or PATCHBAY_URL`;
    return failure((error as Error).message, exitCodes.failure, { code: 'no_answer', hint });
  }
  const { text, exitCode } = describeFailure(error);
  if ((error as Error | undefined)?.name === 'UsageError' || error instanceof TypeError) {
    return failure(text, exitCodes.usage, { code: 'usage' });
  }
  const file = describeFileFailure(error);
  if (file !== undefined) return file;
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const isMissing = typeof code === 'string' && code.endsWith('_not_found') && exitCode !== exitCodes.config;
  const { errors = [] } = error as { readonly errors?: readonly unknown[] };
  const more = { ...(typeof code === 'string' && { code }), ...(errors.length > 0 && { errors }) };
  return failure(text, isMissing ? exitCodes.notFound : exitCode, more);
}

/** The brand of errors of the client, with their class. `instanceof` would load the client with every server. */
const kindOfError = Symbol.for('@patchbay/client.error');

function isOfClient(error: unknown, name: 'APIError' | 'ConnectionError'): boolean {
  const { [kindOfError]: kind } = Object(error) as { readonly [kindOfError]?: string };
  return `${kind}.`.startsWith(`PatchbayError.${name}.`);
}

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EEXIST: 'exists already: name another file',
  EISDIR: 'is a folder',
  ENOTDIR: 'is in something that is no folder',
  EACCES: 'is not for this user',
  EPERM: 'is not for this user',
  EROFS: 'cannot be written: everything there is read-only',
  ENOSPC: 'cannot be written: there is no space left',
};

/** A system error about a file that the command line names. */
function describeFileFailure(error: unknown): CliFailure | undefined {
  const { code = '', path, syscall } = Object(error) as Partial<NodeJS.ErrnoException>;
  // Its parents exist, or were created: they are not missing.
  const fault = code === 'ENOENT' && syscall === 'mkdir' ? 'cannot be made: nothing can be there' : fileFaults[code];
  // Reading a folder fails only after it was opened, and no longer names it.
  if (fault === undefined || syscall === 'spawn' || (path === undefined && code !== 'EISDIR')) return undefined;
  const isNamedWrong = ['ENOENT', 'EEXIST', 'EISDIR', 'ENOTDIR'].includes(code);
  return failure(`${path ?? 'what should be a file'} ${fault}`, isNamedWrong ? exitCodes.usage : exitCodes.failure, {
    code,
  });
}

function describeProblem({ status, code, problem, errors, requestId }: APIError, command: string): CliFailure {
  const hint = hintFor(status, code, problem['scope'], command);
  const lines = [
    `${code ?? status}: ${problem.detail ?? problem.title ?? 'the server did not say why'}`,
    ...errors.map(({ pointer, detail }) => `  ${pointer || '(the body)'} ${detail}`),
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ...(requestId === undefined ? [] : [`  request: ${requestId}`]),
  ];
  return {
    text: lines.join('\n'),
    error: { ...problem, status, ...(hint !== undefined && { hint }) },
    exitCode: exitCodeFor(status),
  };
}

function exitCodeFor(status: number): number {
  if (status === 401 || status === 403) return exitCodes.access;
  if (status === 404) return exitCodes.notFound;
  return status === 409 || status === 412 ? exitCodes.drift : exitCodes.failure;
}

function hintFor(status: number, code: string | undefined, scope: unknown, command: string): string | undefined {
  if (status === 401) return `set PATCHBAY_API_KEY, or make a key: ${command} keys create --name mine --scope "*"`;
  if (code === 'insufficient_scope' && typeof scope === 'string') return `the key needs the scope ${scope}`;
  if (code === 'precondition_failed')
    return 'it was changed by another request in the meantime; review it and try again';
  if (code === 'provider_auth_failed') return 'give the server another key for this provider';
  if (code === 'provider_not_configured') return 'give the server a key for this provider, and start it again';
  if (code === 'model_not_found') return `"${command} models list" shows those that there are`;
  if (code === undefined && status === 404) return 'is this the address of a Patchbay server, with its base path?';
  return undefined;
}

function failure(
  text: string,
  exitCode: number,
  more: { readonly code?: string; readonly hint?: string; readonly errors?: readonly unknown[] },
): CliFailure {
  const { hint } = more;
  return { text: hint ? `${text}\n  hint: ${hint}` : text, error: { detail: text, ...more }, exitCode };
}
