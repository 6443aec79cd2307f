import type { CallRecord, Execution } from '../../api/operations.generated.ts';
import { type Console, useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { costText, durationText } from '../../parts/figures.ts';
import { KeyName } from '../../parts/key-name.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { CallAgain } from './call-again.tsx';
import { CallContent } from './call-content.tsx';
import { CallDecision } from './call-decision.tsx';
import { CallFeedback } from './call-feedback.tsx';
import { CallOutcome, callTitle } from './call-outcome.tsx';
import { CallTrace } from './call-trace.tsx';
import { StoredContent } from './stored-content.tsx';

/** How a call was answered: a trace, what it cost, and what can be done about it. */
export function CallDetail({ id }: { readonly id: string }) {
  const { api, router } = useConsole();
  const { data, error, reload } = useLoad(
    async (signal) => {
      const call = await api.call('getCall', { path: { id }, signal });
      return { call, execution: await executionOf(api, call, signal) };
    },
    [id],
  );
  const { call, execution } = data ?? {};
  const again = async ({ functionId, input }: Execution): Promise<void> => {
    const made = await api.call('executeFunction', { path: { id: functionId }, body: { input } });
    router.go(linkTo(['calls', made.id]));
  };
  return (
    <Page
      title={call ? callTitle(call) : id}
      trail={[{ title: 'Calls', href: linkTo(['calls']) }]}
      actions={
        execution &&
        call?.functionId &&
        api.may('executeFunction') && (
          <ActionButton title="Run again" done="It ran again, with the same input." run={() => again(execution)} />
        )
      }
    >
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {call && (
        <>
          <CallFacts call={call} />
          <CallTrace call={call} />
          {call.decision && <CallDecision decision={call.decision} />}
          <StoredContent call={call} isKnown={execution !== undefined} />
          {execution && <CallContent execution={execution} />}
          <CallFeedback call={call} />
          <CallAgain call={call} execution={execution} />
        </>
      )}
    </Page>
  );
}

/** The execution that answered a call, if it is there and the caller may see it. */
async function executionOf(
  api: Console['api'],
  { executionId, parentId }: CallRecord,
  signal: AbortSignal,
): Promise<Execution | undefined> {
  // One whose code made the call has a record of its own.
  if (executionId === null || executionId === parentId || !api.may('getExecution')) return undefined;
  return await api.call('getExecution', { path: { id: executionId }, signal }).catch(() => undefined);
}

function CallFacts({ call }: { readonly call: CallRecord }) {
  const { functionId, keyId, parentId, queuedMs, firstOutputMs } = call;
  return (
    <Facts
      facts={[
        ['Outcome', <CallOutcome key="outcome" {...call} />],
        ['Error', call.errorCode],
        ['Ended', <Time key="ended" at={call.createdAt} />],
        ['Took', durationText(call.durationMs)],
        ['First output after', tookText(firstOutputMs)],
        ['In the queue', tookText(queuedMs)],
        ['Model', call.model && <a href={linkTo(['models', ...call.model.split('/')])}>{call.model}</a>],
        [
          'Tokens',
          call.model && `${call.promptTokens.toLocaleString()} in, ${call.completionTokens.toLocaleString()} out`,
        ],
        ['Cost', call.cost && costText(call.cost)],
        ['Function', functionId && <a href={linkTo(['functions', functionId])}>{call.name ?? functionId}</a>],
        ['Version of its settings', call.settingsVersion],
        ['Made by', parentId && <a href={linkTo(['calls', parentId])}>{parentId}</a>],
        ['Key', <KeyName key="key" id={keyId} />],
        ['Id', <code key="id">{call.id}</code>, 'id'],
        ['Request', <code key="request">{call.requestId}</code>, 'id'],
      ]}
    />
  );
}

function tookText(ms: number | null): string | undefined {
  return ms === null ? undefined : durationText(ms);
}
