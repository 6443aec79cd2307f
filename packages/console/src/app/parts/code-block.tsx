import { CopyButton } from './copy-button.tsx';

/** Text to copy, such as code or a secret. */
export function CodeBlock({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre>{text}</pre>
    </figure>
  );
}
