/** The headers that identify the caller of a request. */
export type Credentials = () => Readonly<Record<string, string>>;

const asConsole = { 'Patchbay-Console': '1' };

/** A field for an API key, which the page does not store. Without one, requests have the session of the console. */
export function addCredentials(): Credentials {
  const label = document.createElement('label');
  const field = document.createElement('input');
  const note = document.createElement('p');
  field.type = 'password';
  field.autocomplete = 'off';
  label.className = 'credentials';
  note.className = 'quiet';
  note.textContent = 'Requests of this page are sent with it. The page does not store it.';
  label.append('API key', field, note);
  document.querySelector('main h1')?.after(label);
  void tellSession(note);
  return () => (field.value === '' ? asConsole : { Authorization: `Bearer ${field.value}` });
}

/** Servers without the console have no sessions, and no such endpoint. */
async function tellSession(note: HTMLElement): Promise<void> {
  const path = document.querySelector<HTMLElement>('#getSession form')?.dataset['path'];
  const response = path === undefined ? undefined : await fetch(path, { headers: asConsole });
  const session = response?.ok ? ((await response.json()) as { readonly name: string } | null) : undefined;
  if (session)
    note.textContent = `Without a key, requests are sent as ${session.name}, who is signed in to the console.`;
  else if (session === null)
    note.append(' Without a key, they have the session of the console, once you sign in there.');
}
