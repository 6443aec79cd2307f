import type {
  FunctionVersion,
  FunctionVersionSummary,
  Function as StoredFunction,
} from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { KeyName } from '../../parts/key-name.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import type { ViewProps } from './view-props.ts';

interface VersionsViewProps extends ViewProps {
  readonly saved: StoredFunction;
  readonly query: Readonly<Record<string, string>>;
  readonly reload: () => void;
}

const columns: readonly Column<FunctionVersionSummary>[] = [
  { title: 'Version', width: '6rem', cell: ({ version }) => version },
  { title: 'Name', wide: true, cell: ({ name }) => name },
  { title: 'Written', width: '13rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'By', wide: true, cell: ({ createdBy }) => createdBy },
];

/** The versions of a function, or what one of them would change. */
export function VersionsView({ page, head, saved, query, reload }: VersionsViewProps) {
  const { api } = useConsole();
  const path = { id: saved.id };
  const shown = query['version'];
  if (shown !== undefined) return <VersionDiff {...{ page, head, saved, reload }} version={shown} />;
  return (
    <Page {...page}>
      {head}
      <DataList
        label="Versions"
        columns={columns}
        load={(cursor, signal) =>
          api.call('listFunctionVersions', { path, signal, query: { ...(cursor !== undefined && { cursor }) } })
        }
        rowKey={({ version }) => String(version)}
        href={({ version }) => linkTo(['functions', saved.id, 'versions'], { version: String(version) })}
        empty={null}
      />
    </Page>
  );
}

function VersionDiff(props: Omit<VersionsViewProps, 'query'> & { readonly version: string }) {
  const { page, head, saved, version, reload } = props;
  const { api, router } = useConsole();
  const path = { id: saved.id, version };
  const { data, error } = useLoad((signal) => api.call('getFunctionVersion', { path, signal }), [version]);
  const back = linkTo(['functions', saved.id, 'versions']);
  const restore = async (): Promise<void> => {
    await api.call('restoreFunctionVersion', { path });
    reload();
    router.go(back);
  };
  const isSame = data && about(data) === about(saved) && data.code === saved.code;
  return (
    <Page
      {...page}
      actions={
        <>
          <a class="button" href={back}>
            All versions
          </a>
          {api.may('restoreFunctionVersion') && data && !isSame && (
            <ActionButton title="Restore" done={`Version ${version} is restored.`} run={restore} />
          )}
        </>
      }
    >
      {head}
      {error !== undefined && <ErrorView error={error} />}
      {data && (
        <>
          <p class="quiet">
            Version {data.version}, <Time at={data.createdAt} />, by <KeyName id={data.createdBy} />.{' '}
            {isSame ? 'It is the same as the present one.' : 'Restoring it would change:'}
          </p>
          <DiffView label="Code" before={saved.code} after={data.code} />
          <DiffView label="Name, purpose and schemas" before={about(saved)} after={about(data)} />
          {isSame && <pre>{data.code}</pre>}
        </>
      )}
    </Page>
  );
}

function about({ name, description, input, output }: StoredFunction | FunctionVersion): string {
  return JSON.stringify({ name, description, input, output }, null, 2);
}
