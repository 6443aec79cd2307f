import { describe, expect, it } from 'vitest';
import { html, prose } from './html.ts';

describe('html', () => {
  it('escapes every text that is filled in', () => {
    expect(html`<p title="${'"><script>'}">${"<&'>"}</p>`.html).toBe(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;&amp;&#39;&gt;</p>',
    );
  });

  it('keeps what it made itself', () => {
    expect(html`<ul>${[1, 2].map((value) => html`<li>${value}</li>`)}${undefined}</ul>`.html).toBe(
      '<ul><li>1</li><li>2</li></ul>',
    );
  });
});

describe('prose', () => {
  it('turns what is between backticks into code', () => {
    expect(html`${prose('a `<b>` c')}`.html).toBe('a <code>&lt;b&gt;</code> c');
  });
});
