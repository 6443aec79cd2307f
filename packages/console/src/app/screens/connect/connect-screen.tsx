import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { clientsOf } from './clients.ts';
import { ConnectionTest } from './connection-test.tsx';

/** What connects a program to this server, and a request that tests the connection. */
export default function ConnectScreen({ path: [chosen] }: ScreenProps) {
  const { api } = useConsole();
  const clients = clientsOf({
    gateway: absolute(api.url('createChatCompletion')).replace('/v1/chat/completions', ''),
    mcp: absolute(api.url('callMcp')),
    functions: absolute(api.url('listFunctions')).replace(/\/functions$/, ''),
  });
  const client = clients.find(({ name }) => name === chosen) ?? clients[0];
  if (!client) return null;
  const { name, title, install, code, test } = client;
  return (
    <Page title="Connect">
      <Tabs
        label="Clients"
        tabs={clients.map((each) => ({
          title: each.title,
          href: linkTo(['connect', each.name]),
          current: each.name === name,
        }))}
      />
      <p>
        Set <code>PATCHBAY_API_KEY</code> to a key of this server
        {api.may('createKey') && (
          <>
            : <a href={linkTo(['keys', 'new'])}>create one for each program</a>
          </>
        )}
        .
      </p>
      {install !== undefined && <CodeBlock label="Install" text={install} />}
      <CodeBlock label={title} text={code} />
      <ConnectionTest key={test} kind={test} />
    </Page>
  );
}

const absolute = (path: string): string => new URL(path, location.href).href;
