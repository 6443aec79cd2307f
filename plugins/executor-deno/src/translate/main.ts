// A helper process: parses what nobody has looked at yet.
import { ignoreSignals } from '../ignore-signals.ts';
import { type TranslateQuestion, translate } from './translate.ts';

ignoreSignals();

process.on('message', ({ question }: { readonly question: TranslateQuestion }) => {
  process.send?.(translate(question));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
