import { useConsole } from '../frame/console-context.ts';

/** Copies a string. */
export function CopyButton({ text, title = 'Copy' }: { readonly text: string; readonly title?: string }) {
  const { notices } = useConsole();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      notices.show('Copied.');
    } catch {
      // Browsers provide a clipboard only for local pages and HTTPS.
      notices.show('The browser does not allow copying here: select the text instead.', 'failed');
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {title}
    </button>
  );
}
