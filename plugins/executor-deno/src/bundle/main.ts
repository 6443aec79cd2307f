// A helper process: brings an author's text and packages together.
import { ignoreSignals } from '../ignore-signals.ts';
import { type BundleAnswer, type BundleQuestion, bundle } from './bundle.ts';

async function answer(question: BundleQuestion): Promise<BundleAnswer> {
  try {
    return await bundle(question);
  } catch {
    return {
      kind: 'faults',
      faults: [{ code: 'too_complex', detail: 'The code cannot be brought together with its imports' }],
    };
  }
}

ignoreSignals();

process.on('message', ({ question }: { readonly question: BundleQuestion }) => {
  void answer(question).then((value) => process.send?.(value));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
