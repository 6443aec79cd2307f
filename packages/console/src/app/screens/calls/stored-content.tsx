import type { CallRecord, CallContent as Content } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { answerText, missingLines, spokenBlocks } from './content-text.ts';

interface StoredContentProps {
  readonly call: CallRecord;
  /** Whether an execution has input and output nevertheless. */
  readonly isKnown: boolean;
}

/** The request and the response of a call, as far as they are stored, and what is missing. All of it is text. */
export function StoredContent({ call: { id }, isKnown }: StoredContentProps) {
  const { api } = useConsole();
  const isAllowed = api.may('getCallContent');
  const { data, error, reload } = useLoad(
    async (signal) => (isAllowed ? await api.call('getCallContent', { path: { id }, signal }) : undefined),
    [id, isAllowed],
  );
  if (!isAllowed || (isKnown && data?.level === 'off')) return null;
  return (
    <section aria-label="Content">
      <h2>Content</h2>
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {data?.level === 'off' && (
        <p class="quiet">
          Content is not stored. The operator turns it on with <code>callRecords.content</code> in the config:{' '}
          <code>metadata</code> for sizes and names, <code>full</code> for requests and responses.
        </p>
      )}
      {data?.summary && <Summary summary={data.summary} />}
      {data?.level === 'metadata' && <p class="quiet">Requests and responses are not stored.</p>}
      {data && <Documents content={data} />}
    </section>
  );
}

function Summary({ summary }: { readonly summary: NonNullable<Content['summary']> }) {
  const { requestBytes, responseBytes, roles, tools, toolCalls, finishReason, repairs } = summary;
  const counts = Object.entries(roles).map(([role, count]) => `${count} ${role}`);
  return (
    <Facts
      facts={[
        ['Request', bytesText(requestBytes)],
        ['Response', responseBytes === null ? 'None' : bytesText(responseBytes)],
        ['Messages', counts.join(', ') || undefined],
        ['Tools', tools.join(', ') || undefined],
        ['Tools called', toolCalls.join(', ') || undefined],
        ['Ended by', finishReason],
        ['Outputs that did not fit', repairs.length || undefined],
      ]}
    />
  );
}

const bytesText = (bytes: number): string => `${bytes.toLocaleString()} bytes`;

function Documents({ content }: { readonly content: Content }) {
  const { request, response, repairs } = content;
  const missing = missingLines(content);
  const answer = request === null ? undefined : answerText(response);
  return (
    <>
      {missing.length > 0 && (
        <ul class="plain-list quiet">
          {missing.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {spokenBlocks(request).map(({ label, text }, index) => (
        <CodeBlock key={index} label={label} text={text} />
      ))}
      {repairs.map(({ model, output, errors }, index) => (
        <div key={index}>
          <CodeBlock label={`Rejected output ${index + 1} of ${model}`} text={textOf(output)} />
          <ul class="plain-list">
            {errors.map(({ pointer, detail }, at) => (
              <li key={at}>
                <code>{pointer}</code> {detail}
              </li>
            ))}
          </ul>
        </div>
      ))}
      {answer !== undefined && <CodeBlock label="assistant" text={answer} />}
      {response && answer === undefined && <CodeBlock label="Response" text={textOf(response)} />}
      {request && (
        <details>
          <summary>{answer === undefined ? 'The whole request' : 'The whole request and response'}</summary>
          <CodeBlock label="Request" text={textOf(request)} />
          {answer !== undefined && <CodeBlock label="Response" text={textOf(response)} />}
        </details>
      )}
    </>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));
