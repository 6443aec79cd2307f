import type { AuditEntry, lists } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { newestFirst } from '../../parts/use-keyset-list.ts';

type AuditAction = (typeof lists.auditActions)[number];

interface AuditDetailProps {
  readonly sequence: number;
  readonly resource: string;
  readonly action: AuditAction | undefined;
}

/** One entry: who did it, from where, and what vouches for it. */
export function AuditDetail({ sequence, resource, action }: AuditDetailProps) {
  const { api } = useConsole();
  const find = async (signal: AbortSignal): Promise<AuditEntry | null> => {
    for (let cursor: string | undefined; ; ) {
      const query = { ...newestFirst(cursor), resource, ...(action && { action }) };
      const { data, meta } = await api.call('listAuditEntries', { query, signal });
      const found = data.find((each) => each.sequence === sequence);
      cursor = meta.nextCursor;
      if (found || cursor === undefined) return found ?? null;
    }
  };
  const { data: entry, error, reload } = useLoad(find, [sequence]);
  return (
    <Page title={entry?.action ?? `Entry ${sequence}`} trail={[{ title: 'Audit log', href: linkTo(['audit']) }]}>
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {entry === null && <EmptyState title="There is no such entry" />}
      {entry && (
        <>
          <Facts
            facts={[
              ['Number', entry.sequence],
              ['When', <Time key="at" at={entry.createdAt} />],
              ['Resource', `${entry.resource.type} ${entry.resource.id}`],
              ['By', `${entry.actor.type} ${entry.actor.id}`],
              ['Address', entry.address],
              ['Request', entry.requestId],
              ['Hash', <code key="hash">{entry.hash}</code>],
              ['Hash of the entry before', entry.previousHash && <code key="before">{entry.previousHash}</code>],
            ]}
          />
          <CodeBlock label="Details" text={JSON.stringify(entry.details, undefined, 2)} />
          <p>
            <a href={linkTo(['audit'], { resource: entry.resource.id })}>
              All entries about this {entry.resource.type}
            </a>
          </p>
        </>
      )}
    </Page>
  );
}
