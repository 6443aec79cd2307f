// A helper process: processes unchecked source code of authors. Its argument names the task.
import { ignoreSignals } from '../system-process.ts';

async function loadWork(task: string | undefined): Promise<(question: never) => unknown> {
  switch (task) {
    case 'translate':
      return (await import('../translate/translate.ts')).translate;
    case 'bundle':
      return (await import('../bundle/bundle.ts')).bundle;
    case 'admit':
      return (await import('../bundle/given-bundle.ts')).checkGivenBundle;
    case 'check':
      return (await import('../check/type-checker.ts')).createTypeCheck();
    default:
      throw new TypeError(`There is no task "${task}"`);
  }
}

ignoreSignals();
process.on('disconnect', () => process.exit(0));
const work = await loadWork(process.argv[2]);
// An error ends the process, which its parent sees.
process.on('message', ({ question }: { readonly question: never }) => {
  void (async () => process.send?.(await work(question)))();
});
process.send?.('ready');
