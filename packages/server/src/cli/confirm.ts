import type { CliContext } from './cli-context.ts';
import { prompted } from './prompt.ts';
import { UsageError } from './usage-error.ts';

/**
 * Whether to do what cannot be taken back: asked at a terminal, and said with `--yes` elsewhere.
 *
 * @throws UsageError where nobody can be asked.
 */
export async function confirmed(
  { isInteractive }: CliContext,
  { yes = false, question }: { readonly yes: boolean | undefined; readonly question: string },
): Promise<boolean> {
  if (yes) return true;
  if (!isInteractive) throw new UsageError(`${question} Nobody can be asked here: say it with --yes`);
  return (
    (await prompted(({ confirm }, place) => confirm({ message: question, initialValue: false, ...place }))) === true
  );
}
