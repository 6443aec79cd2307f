import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const promise = promisify(execFile);

/** Run a command; its standard output. */
export async function run(
  command: string,
  parameters: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const { stdout } = await promise(command, [...parameters], { cwd, env, maxBuffer: 64 * 1_024 * 1_024 });
  return stdout;
}
