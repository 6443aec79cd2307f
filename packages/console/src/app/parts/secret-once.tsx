import { CodeBlock } from './code-block.tsx';

/** A secret that the server reveals only once. */
export function SecretOnce({ label, secret }: { readonly label: string; readonly secret: string }) {
  return (
    <section class="secret" role="status">
      <p>Copy it now: it is shown this once, and stored nowhere.</p>
      <CodeBlock label={label} text={secret} />
    </section>
  );
}
