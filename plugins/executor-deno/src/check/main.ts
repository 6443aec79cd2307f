// A helper process: checks types, which can take as long and as much as their author likes.
import { ignoreSignals } from '../ignore-signals.ts';
import type { Fault } from '../translate/fault.ts';
import { TypeChecker, type TypeCheckQuestion } from './type-checker.ts';

const checker = new TypeChecker();

function answer(question: TypeCheckQuestion): readonly Fault[] {
  try {
    return checker.check(question);
  } catch {
    return [{ code: 'too_complex', detail: 'The types are too complex to be checked' }];
  }
}

ignoreSignals();

process.on('message', ({ question }: { readonly question: TypeCheckQuestion }) => {
  process.send?.(answer(question));
});
// Reading the libraries takes most of a second: before the first question, not on its time.
answer({
  module: { text: 'export default () => ({})', parameter: { line: 1, column: 1 }, result: { line: 1, column: 1 } },
  input: {},
  output: {},
  packages: [],
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
