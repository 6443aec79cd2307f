import { useLayoutEffect, useRef } from 'preact/hooks';

/** Links between the views of one thing. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly { readonly title: string; readonly href: string; readonly current: boolean }[];
}) {
  // On a small screen they are wider than the page.
  const list = useRef<HTMLElement>(null);
  const shown = props.tabs.find(({ current }) => current)?.href;
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [shown]);
  return (
    <nav class="tabs" aria-label={props.label} ref={list}>
      {props.tabs.map(({ title, href, current }) => (
        <a key={href} href={href} {...(current && { 'aria-current': 'page' })}>
          {title}
        </a>
      ))}
    </nav>
  );
}
