import { useConsole } from '../frame/console-context.ts';

/** Copies a text. */
export function CopyButton({ text, title = 'Copy' }: { readonly text: string; readonly title?: string }) {
  const { notices } = useConsole();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      notices.show('Copied.');
    } catch {
      // Browsers have a clipboard only for pages of this machine and of HTTPS.
      notices.show('The browser does not allow copying here: select the text instead.', 'failed');
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {title}
    </button>
  );
}
