import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DenoExecutorOptions } from '../src/deno-executor.ts';
import { findDeno } from '../src/explore-machine.ts';
import { type JailPrograms, jailPrograms } from '../src/launch/jail.ts';

/**
 * Walls between a program and the host.
 *
 * - `both`: everything, as it is for users
 * - `permissions`: Deno's permissions and the jail, with all globals left, and code that comes out of texts
 * - `jail`: the jail alone; Deno allows everything as well
 */
export type Wall = 'both' | 'permissions' | 'jail';

export interface WallSetup {
  readonly options: Pick<DenoExecutorOptions, 'denoPath'>;
  readonly programs: JailPrograms;
}

const bootstrap = fileURLToPath(new URL('../src/bootstrap', import.meta.url));
const REVOCATION = /^for \(const name of .*\) Deno\.permissions\.revokeSync\(\{ name \}\);$/mu;
const REMOVAL = /^removeGlobals\(\);$/mu;

/**
 * Take walls away, for a test, without a switch in the product that others could find: a script stands where
 * the first program of the command line is, and exchanges the bootstrap (for its modules) and the flags of Deno.
 */
export function setUpWall(wall: Wall, jail: string, folder: string): WallSetup {
  if (wall === 'both') return { options: {}, programs: jailPrograms };
  const weakened = path.join(folder, 'bootstrap');
  mkdirSync(weakened);
  cpSync(bootstrap, weakened, { recursive: true });
  edit(path.join(weakened, 'main.js'), REMOVAL);
  if (wall === 'jail') edit(path.join(weakened, 'main.js'), REVOCATION);
  const deno = findDeno();
  const program = path.join(folder, 'without-walls');
  const isFirst = jail === 'none';
  writeFileSync(program, script(wall, weakened, isFirst ? deno : jailPrograms.setpriv));
  chmodSync(program, 0o755);
  return isFirst
    ? { options: { denoPath: program }, programs: jailPrograms }
    : { options: {}, programs: { ...jailPrograms, setpriv: program } };
}

function edit(file: string, statement: RegExp): void {
  const text = readFileSync(file, 'utf8');
  if (!statement.test(text)) throw new Error(`${file} does not have ${String(statement)}`);
  writeFileSync(file, text.replace(statement, ''));
}

const script = (wall: Wall, weakened: string, program: string): string => `#!/bin/sh
left=$#
while [ "$left" -gt 0 ]; do
  argument=$1
  shift
  left=$((left - 1))
  case $argument in
    /patchbay/bootstrap*) ;;
    */bootstrap) argument='${weakened}' ;;
    */bootstrap/main.js) argument='${weakened}/main.js' ;;
    ${wall === 'jail' ? '--deny-*|--allow-*|--no-remote|--no-npm|--cached-only) continue ;;\n    --no-prompt) set -- "$@" --allow-all' : 'none)'} ;;
    --v8-flags=*) argument=\${argument%,--disallow-code-generation-from-strings} ;;
  esac
  set -- "$@" "$argument"
done
exec '${program}' "$@"
`;
