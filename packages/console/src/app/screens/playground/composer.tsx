import { useSignal } from '@preact/signals';
import type { ContentPart } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { type Attachment, Attachments, attachmentOf } from './attachments.tsx';

interface ComposerProps {
  readonly busy: boolean;
  /** Whether there is something to send without a message. */
  readonly mayBeEmpty: boolean;
  /** Gets the message, if there is one. Returns whether it is being sent: otherwise it stays. */
  readonly onSend: (content: string | ContentPart[] | undefined) => boolean;
  readonly onStop: () => void;
}

/** Writes the next message. Files can be dropped onto it, pasted, or chosen; Enter sends, Shift+Enter begins a line. */
export function Composer({ busy, mayBeEmpty, onSend, onStop }: ComposerProps) {
  const { notices } = useConsole();
  const text = useSignal('');
  const attached = useSignal<readonly Attachment[]>([]);
  const attach = async (files: readonly File[]): Promise<void> => {
    try {
      attached.value = [...attached.value, ...(await Promise.all(files.map(attachmentOf)))];
    } catch (error) {
      notices.show(String(error), 'failed');
    }
  };
  const send = (): void => {
    const isEmpty = text.value.trim() === '' && attached.value.length === 0;
    if (busy || (isEmpty && !mayBeEmpty)) return;
    const written: ContentPart[] = text.value === '' ? [] : [{ type: 'text', text: text.value }];
    const parts = attached.value.map(({ part }) => part);
    const content = parts.length === 0 ? text.value : [...written, ...parts];
    if (!onSend(isEmpty ? undefined : content)) return;
    text.value = '';
    attached.value = [];
  };
  const take = (event: Event, list: FileList | null | undefined): void => {
    if (!list || list.length === 0) return;
    event.preventDefault();
    void attach([...list]);
  };
  return (
    <div
      class="composer"
      role="group"
      aria-label="Next message"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer?.files)}
    >
      <Attachments
        attached={attached.value}
        onAttached={(left) => {
          attached.value = left;
        }}
      />
      <textarea
        aria-label="Message"
        placeholder="Ask something, or drop files here …"
        rows={3}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onPaste={(event) => take(event, event.clipboardData?.files)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="actions">
        <label class="button">
          Attach
          <input
            type="file"
            class="unseen"
            multiple
            onChange={(event) => {
              void attach([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        {busy ? (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" onClick={send}>
            Send
          </button>
        )}
      </div>
    </div>
  );
}
