import { useSignal } from '@preact/signals';
import type { Key } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { SelectField } from '../../parts/form.tsx';
import { KeyName } from '../../parts/key-name.tsx';
import { Page } from '../../parts/page.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Time } from '../../parts/time.tsx';
import { budgetText, KeyState } from './key-state.tsx';

const graces = [
  { value: '86400', title: '1 day' },
  { value: '3600', title: '1 hour' },
  { value: '0', title: 'Not at all' },
];

export function KeyDetail({ id }: { readonly id: string }) {
  const { api } = useConsole();
  const secret = useSignal<string | undefined>(undefined);
  const { data: key, error, reload } = useLoad((signal) => api.call('getKey', { path: { id }, signal }), [id]);
  const rotate = async (graceSeconds: number): Promise<void> => {
    secret.value = (await api.call('rotateKey', { path: { id }, body: { graceSeconds } })).key;
    reload();
  };
  const isOwn = api.session.value?.id === id;
  const revoke = async (): Promise<void> => {
    await api.call('revokeKey', { path: { id } });
    if (isOwn) api.end();
    else reload();
  };
  const isActive = key?.revokedAt === null;
  return (
    <Page
      title={key?.name ?? id}
      trail={[{ title: 'Keys', href: linkTo(['keys']) }]}
      actions={
        isActive && (
          <>
            <ActionButton title="Rotate" done="The key has a new secret." run={({ grace }) => rotate(Number(grace))}>
              <p>The key gets a new secret. Programs that have the old one need the new one.</p>
              <SelectField name="grace" label="Accept the old secret for" options={graces} />
            </ActionButton>
            <ActionButton title="Revoke" done="The key is revoked." danger run={revoke}>
              <p>Programs with this key are refused within a second. A revoked key cannot come back.</p>
              {isOwn && <p>It is the key of your session: you are signed out.</p>}
            </ActionButton>
          </>
        )
      }
    >
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {secret.value !== undefined && <SecretOnce label="New secret" secret={secret.value} />}
      {key && <KeyFacts value={key} />}
      {key && api.may('listAuditEntries') && (
        <p>
          <a href={linkTo(['audit'], { resource: id })}>Changes of this key</a>
        </p>
      )}
    </Page>
  );
}

function KeyFacts({ value: key }: { readonly value: Key }) {
  const limit = key.rateLimit;
  const time = (at: string | null) => at !== null && <Time at={at} />;
  return (
    <Facts
      facts={[
        ['State', <KeyState key="state" {...key} />],
        ['Id', <code key="id">{key.id}</code>, 'id'],
        ['Scopes', key.scopes.join(', '), 'id'],
        ['Budget', budgetText(key.budget)],
        ['Rate limit', limit && `${limit.requests} per ${limit.seconds} s, ${limit.burst} at once`],
        ['Functions', key.functions?.join(', ')],
        ['Addresses', key.ipAddresses?.join(', ')],
        ['Created', <Time key="created" at={key.createdAt} />],
        ['Created by', <KeyName key="by" id={key.createdBy} />],
        ['Expires', time(key.expiresAt) || 'never'],
        ['Revoked', time(key.revokedAt) || undefined],
        ['Last used', time(key.lastUsedAt) || 'never'],
        ['Last rotated', time(key.rotatedAt) || undefined],
        ['Old secret accepted until', time(key.previousUntil) || undefined],
      ]}
    />
  );
}
