/** A field above the contents that hides the entries without the words in it. `/` focuses it, arrows move to the entries. */
export function addSearch(): void {
  const contents = document.querySelector('nav');
  if (!contents) return;
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Search  /';
  field.setAttribute('aria-label', 'Search');
  contents.querySelector('strong')?.after(field);
  const entries = [...contents.querySelectorAll('li')].map((item) => ({ item, words: wordsOf(item) }));
  field.addEventListener('input', () => {
    const wanted = field.value.toLowerCase().split(/\s+/);
    for (const { item, words } of entries) item.hidden = !wanted.every((word) => words.includes(word));
    for (const list of contents.querySelectorAll('ul')) {
      const isEmpty = list.querySelector('li:not([hidden])') === null;
      list.hidden = isEmpty;
      if (list.previousElementSibling instanceof HTMLElement) list.previousElementSibling.hidden = isEmpty;
    }
  });
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') contents.querySelector<HTMLElement>('li:not([hidden]) a')?.click();
  });
  contents.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const places = [field, ...contents.querySelectorAll<HTMLElement>('li:not([hidden]) a')];
    places[places.findIndex((place) => place.matches(':focus')) + step]?.focus();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || (event.target instanceof Element && event.target.closest('input, textarea'))) return;
    event.preventDefault();
    field.focus();
  });
}

/** Its title, and the text at the head of its section and below it. */
function wordsOf(item: HTMLElement): string {
  const target = item.querySelector('a')?.getAttribute('href')?.slice(1) ?? '';
  const section = document.getElementById(target);
  const [head, text] = ['h3, summary', 'p'].map((kind) => section?.querySelector(kind)?.textContent ?? '');
  return `${target} ${item.textContent} ${head} ${text}`.toLowerCase();
}
