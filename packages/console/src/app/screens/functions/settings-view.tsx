import { useSignal } from '@preact/signals';
import { ApiError } from '../../api/api-error.ts';
import type { FunctionSettings, SettingsVersion } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Form, type FormValues, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { formOf, SettingsFields } from './settings-fields.tsx';
import type { ViewProps } from './view-props.ts';

interface SettingsViewProps extends ViewProps {
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
}

/** The settings by which a model responds: their versions with labels, and a form that writes the next one. */
export function SettingsView({ page, head, id, query }: SettingsViewProps) {
  const { api, notices } = useConsole();
  const round = useSignal(0);
  const path = { id };
  const on = [id, round.value];
  const versions = useLoad((signal) => api.call('listSettingsVersions', { path, signal, query: { limit: 50 } }), on);
  const shown = query['version'];
  const settings = useLoad(
    async (signal) => {
      try {
        if (shown !== undefined) return await api.call('getSettingsVersion', { path: { id, version: shown }, signal });
        return await api.call('getFunctionSettings', { path, signal });
      } catch (error) {
        // None are stored.
        if (error instanceof ApiError && error.status === 404) return {};
        throw error;
      }
    },
    [...on, shown],
  );
  const save = async (values: FormValues): Promise<void> => {
    const { label = '' } = values;
    await api.call('replaceFunctionSettings', {
      path,
      body: formOf(values) as FunctionSettings,
      query: label === '' ? {} : { label },
    });
    notices.show('Saved as a new version.');
    round.value += 1;
  };
  const moveLabel = (version: number) => async (values: FormValues) => {
    await api.call('moveSettingsLabel', { path: { id, label: values['label'] ?? '' }, body: { version } });
    round.value += 1;
  };
  const error = versions.error ?? settings.error;
  return (
    <Page {...page}>
      {head}
      {error !== undefined && <ErrorView error={error} />}
      <div class="workbench">
        {settings.data && api.may('replaceFunctionSettings') && (
          <Form key={JSON.stringify(settings.data)} submit="Save as a new version" onSubmit={save}>
            <SettingsFields settings={settings.data} />
            <TextField name="label" label="Label" hint="Empty: the one that calls use." />
          </Form>
        )}
        {settings.data && !api.may('replaceFunctionSettings') && <pre>{JSON.stringify(settings.data, null, 2)}</pre>}
        <section>
          <h2>Versions</h2>
          <ul class="plain-list">
            {versions.data?.data.map((version) => (
              <li key={version.version}>
                <VersionLine id={id} version={version} />
                {api.may('moveSettingsLabel') && (
                  <ActionButton title="Label" done="The label is moved." run={moveLabel(version.version)}>
                    <p>A label stands for one version. Calls use “production”, unless the config says otherwise.</p>
                    <TextField name="label" label="Label" value="production" required />
                  </ActionButton>
                )}
              </li>
            ))}
          </ul>
          {versions.data?.data.length === 0 && (
            <p class="quiet">The function has no settings: those of the config hold.</p>
          )}
        </section>
      </div>
    </Page>
  );
}

function VersionLine({ id, version }: { readonly id: string; readonly version: SettingsVersion }) {
  return (
    <span>
      <a href={linkTo(['functions', id, 'settings'], { version: String(version.version) })}>
        Version {version.version}
      </a>{' '}
      {version.labels.map((label) => (
        <Badge key={label} kind="good">
          {label}
        </Badge>
      ))}{' '}
      <span class="quiet">
        <Time at={version.createdAt} />
      </span>
    </span>
  );
}
