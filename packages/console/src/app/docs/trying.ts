import type { Credentials } from './credentials.ts';

/** Show the forms of the endpoints, and have them send their requests. */
export function addTrying(credentials: Credentials): void {
  for (const section of document.querySelectorAll<HTMLDetailsElement>('details.try')) {
    section.hidden = false;
    const form = section.querySelector('form');
    form?.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form, credentials);
    });
  }
}

async function send(form: HTMLFormElement, credentials: Credentials): Promise<void> {
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  if (!output || !button) return;
  const [status, text] = [document.createElement('p'), document.createElement('pre')];
  // It scrolls, so it must be reachable by keyboard.
  text.tabIndex = 0;
  output.replaceChildren(status, text);
  status.textContent = 'Waiting …';
  button.disabled = true;
  const { signal, stop } = addStop(button);
  const start = performance.now();
  try {
    const response = await fetch(urlOf(form), { ...requestOf(form, credentials()), signal });
    const tellStatus = (end: string) => {
      const call = response.headers.get('patchbay-call') ?? response.headers.get('request-id') ?? '';
      status.textContent = `${response.status} ${response.statusText}, ${Math.round(performance.now() - start)} ms${end} ${call}`;
    };
    tellStatus(' …');
    await show(response, text);
    tellStatus('');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const end = signal.aborted ? 'Stopped' : `The request failed: ${reason}`;
    status.textContent = `${end}, after ${Math.round(performance.now() - start)} ms`;
  } finally {
    button.disabled = false;
    stop.remove();
  }
}

/** A button that cancels the request, while it lasts: model calls take long, and some streams never end. */
function addStop(beside: HTMLButtonElement): { readonly signal: AbortSignal; readonly stop: HTMLButtonElement } {
  const controller = new AbortController();
  const stop = document.createElement('button');
  stop.type = 'button';
  stop.textContent = 'Stop';
  stop.addEventListener('click', () => controller.abort());
  beside.after(stop);
  return { signal: controller.signal, stop };
}

/** A stream as it arrives. */
async function show(response: Response, output: HTMLElement): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) output.append(part.value);
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  if (!isJson || output.textContent === '') return;
  const json: unknown = JSON.parse(output.textContent ?? '');
  output.textContent = JSON.stringify(json, undefined, 2);
  if (!response.ok) explain(json, output);
}

/** A link to the explanation of an error code. */
function explain(json: unknown, output: HTMLElement): void {
  const { code } = json as { readonly code?: string };
  const entry = document.getElementById(`error-${code}`);
  if (!entry) return;
  const link = document.createElement('a');
  link.href = `#${entry.id}`;
  link.textContent = `What ${code} means, and what to do`;
  output.after(link);
}

function urlOf(form: HTMLFormElement): string {
  const path = (form.dataset['path'] ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valuesOf(form, 'path')[name] ?? ''),
  );
  const query = new URLSearchParams(valuesOf(form, 'query')).toString();
  return query === '' ? path : `${path}?${query}`;
}

function requestOf(form: HTMLFormElement, credentials: Readonly<Record<string, string>>): RequestInit {
  const body = form.querySelector('textarea')?.value;
  const headers = { ...valuesOf(form, 'header'), ...credentials };
  const method = form.dataset['method'] ?? 'GET';
  if (body === undefined || body === '') return { method, headers };
  return { method, headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

/** The fields that were filled in. */
function valuesOf(form: HTMLFormElement, place: string): Record<string, string> {
  const fields = [...form.querySelectorAll<HTMLInputElement>(`input[data-in="${place}"]`)];
  return Object.fromEntries(fields.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]));
}
