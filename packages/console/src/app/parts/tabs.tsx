/** Links between the views of one thing. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly { readonly title: string; readonly href: string; readonly current: boolean }[];
}) {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.tabs.map(({ title, href, current }) => (
        <a key={href} href={href} {...(current && { 'aria-current': 'page' })}>
          {title}
        </a>
      ))}
    </nav>
  );
}
