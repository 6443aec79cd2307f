import { linkTo } from '../../frame/router.ts';
import { Badge } from '../../parts/badge.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { costText, durationText } from '../../parts/figures.ts';
import { CallOutcome } from '../calls/call-outcome.tsx';
import type { Answer } from './answer.ts';

/** An answer, and how long it took, what it cost and whether it is valid. */
export function AnswerView({ answer, isJson = false }: { readonly answer: Answer; readonly isJson?: boolean }) {
  const { status, text, error, record } = answer;
  return (
    <div class="answer" aria-busy={status === 'waiting' || status === 'writing'}>
      {text !== '' && <pre>{text}</pre>}
      {error !== undefined && <ErrorView error={error} />}
      <p class="quiet measures">
        {isJson && status === 'done' && <Validity text={text} />}
        {record && <CallOutcome outcome={record.outcome} />}
        {status === 'waiting' && 'Waiting …'}
        {answer.firstMs !== undefined && <span title="Until the first output">{durationText(answer.firstMs)}</span>}
        {answer.totalMs !== undefined && <span title="Altogether">{durationText(answer.totalMs)}</span>}
        {answer.tokens !== undefined && <span>{answer.tokens.toLocaleString()} tokens</span>}
        {record?.cost && <span>{costText(record.cost)}</span>}
        {record && <a href={linkTo(['calls', record.id])}>Trace</a>}
      </p>
    </div>
  );
}

function Validity({ text }: { readonly text: string }) {
  try {
    JSON.parse(text);
    return <Badge kind="good">JSON</Badge>;
  } catch {
    return <Badge kind="bad">no JSON</Badge>;
  }
}
