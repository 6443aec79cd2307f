import { useConsole } from '../../frame/console-context.ts';
import { useLoad } from '../../frame/use-load.ts';
import { Badge } from '../../parts/badge.tsx';
import { ErrorView } from '../../parts/error-view.tsx';

/** Whether every entry of the log is as it was written. The server reads all of them for this. */
export function AuditVerification() {
  const { api } = useConsole();
  const { data, error, reload } = useLoad((signal) => api.call('verifyAudit', { signal }));
  if (error !== undefined) return <ErrorView error={error} onRetry={reload} />;
  const broken = data?.broken;
  return (
    <p class="verification" role="status">
      {data === undefined && <Badge>verifying …</Badge>}
      {data && !broken && <Badge kind="good">intact</Badge>}
      {data && !broken && <span>All {data.verified.toLocaleString()} entries are as they were written.</span>}
      {broken && <Badge kind="bad">broken</Badge>}
      {broken && (
        <span>
          Entry {broken.sequence}: {broken.reason}
        </span>
      )}
      <button type="button" class="plain" onClick={reload}>
        Verify again
      </button>
    </p>
  );
}
