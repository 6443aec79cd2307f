import { useSignal } from '@preact/signals';
import { type KeyInput, lists, type NewKey } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { CheckList, Form, type FormValues, SelectField, TextArea, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';

const FOREVER = 'forever';

const lifetimes = [
  { value: '1', title: '1 hour' },
  { value: '24', title: '1 day' },
  { value: '720', title: '30 days' },
  { value: '2160', title: '90 days' },
  { value: '8760', title: '1 year' },
];

const HOUR_MS = 3_600_000;

/** Creates a key, and shows its secret. */
export function KeyForm() {
  const { api } = useConsole();
  const made = useSignal<NewKey | undefined>(undefined);
  const held = api.session.value?.scopes ?? [];
  const trail = [{ title: 'Keys', href: linkTo(['keys']) }];
  const create = async (values: FormValues): Promise<void> => {
    made.value = await api.call('createKey', { body: inputOf(values) });
  };
  if (made.value) {
    return (
      <Page title={made.value.name} trail={trail}>
        <SecretOnce label="API key" secret={made.value.key} />
        <p>
          <a href={linkTo(['connect'])}>Connect a program with it</a>
        </p>
      </Page>
    );
  }
  return (
    <Page title="Create a key" trail={trail}>
      <Form submit="Create the key" onSubmit={create}>
        <TextField name="name" label="Name" required hint="The program or person that will use it." />
        <CheckList
          name="scopes"
          label="Scopes"
          hint="What it may do. * is everything that you may, and what is added later."
          options={lists.scopes.filter((scope) => scope === '*' || held.includes(scope))}
        />
        <SelectField
          name="expiresAt"
          label="Valid for"
          options={[
            held.includes('keys:permanent')
              ? { value: FOREVER, title: 'Until it is revoked' }
              : { value: '', title: 'As long as the key you are signed in with' },
            ...lifetimes,
          ]}
        />
        <TextField name="budget/usd" label="Budget in USD" type="number" hint="For models. Empty: the general one." />
        <SelectField
          name="budget/period"
          label="Budget renewed every"
          options={[
            { value: 'month', title: 'Month' },
            { value: 'day', title: 'Day' },
          ]}
        />
        <TextArea
          name="functions"
          label="Functions"
          rows={2}
          hint="Ids of the functions that it reaches, separated by spaces or lines. Empty: all."
        />
        <TextArea
          name="ipAddresses"
          label="Addresses"
          rows={2}
          hint="IP addresses and networks that it works from, such as 10.0.0.0/8. Empty: everywhere."
        />
      </Form>
    </Page>
  );
}

function inputOf(values: FormValues): KeyInput {
  const listOf = (name: string): string[] | undefined => {
    const members = (values[name] ?? '').split(/[\s,]+/).filter(Boolean);
    return members.length === 0 ? undefined : members;
  };
  const [functions, ipAddresses] = [listOf('functions'), listOf('ipAddresses')];
  const { name = '', expiresAt: hours = '', 'budget/usd': usd = '', 'budget/period': period } = values;
  return {
    name,
    scopes: (listOf('scopes') ?? []) as KeyInput['scopes'],
    ...(hours !== '' && { expiresAt: hours === FOREVER ? null : endOf(Number(hours)) }),
    ...(usd !== '' && { budget: { usd: Number(usd), period: period === 'day' ? 'day' : 'month' } }),
    ...(functions && { functions }),
    ...(ipAddresses && { ipAddresses }),
  };
}

const endOf = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
