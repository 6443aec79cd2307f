import { ApiError } from '../api/api-error.ts';
import { useConsole } from '../frame/console-context.ts';

/** A failure as the server reports it, with the code and the id by which its log can be searched. */
export function ErrorView({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { api } = useConsole();
  const isApi = error instanceof ApiError;
  return (
    <div class="error" role="alert">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {isApi && error.faults.length > 0 && (
        <ul>
          {error.faults.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      {isApi && (
        <p class="quiet">
          <a href={`${api.url('getDocs')}#error-${error.code}`} target="_blank" rel="noreferrer">
            {error.code}
          </a>
          {error.requestId !== undefined && (
            <>
              {' · request '}
              <code>{error.requestId}</code>
            </>
          )}
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
