import { signIn } from '../../api/session.ts';
import { useConsole } from '../../frame/console-context.ts';
import { Form, TextField } from '../../parts/form.tsx';

/** Asks for an API key. */
export function SignIn() {
  const { api, sessionUrl } = useConsole();
  return (
    <main class="sign-in">
      <h1>Patchbay</h1>
      <p class="quiet">Sign in with an API key of this server. You can do here what the key can.</p>
      {api.ended.value && <p role="status">Your session has ended, or its key was revoked.</p>}
      <Form submit="Sign in" onSubmit={({ key = '' }) => signIn(api, sessionUrl, key.trim())}>
        <TextField name="key" label="API key" type="password" required autocomplete="current-password" />
      </Form>
    </main>
  );
}
