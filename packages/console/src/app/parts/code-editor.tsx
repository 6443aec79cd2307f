import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Editor, EditorOptions, PlacedFault } from './code-mirror.ts';

interface CodeEditorProps {
  readonly label: string;
  readonly language: EditorOptions['language'];
  /** Replaces what is in the editor whenever it changes. */
  readonly text: string;
  readonly onText?: (text: string) => void;
  readonly faults?: readonly PlacedFault[];
  readonly words?: ReturnType<EditorOptions['words']>;
  /** Height in lines. Default 12. */
  readonly lines?: number;
}

const LINE_PX = 20;
const noFaults: readonly PlacedFault[] = [];

/** Code with colours, faults at their positions, and completions. Its parts are loaded when it is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, language, text, onText, faults = noFaults, lines = 12 } = props;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const editor = useSignal<Editor | undefined>(undefined);
  useEffect(() => {
    let made: Editor | undefined;
    let isGone = false;
    const make = async (): Promise<void> => {
      const { createEditor } = await import('./code-mirror.ts');
      const parent = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' });
      if (isGone || !parent) return;
      made = createEditor({
        parent,
        label,
        language,
        text: latest.current.text,
        isReadOnly: onText === undefined,
        onText: (changed) => latest.current.onText?.(changed),
        words: () => latest.current.words ?? [],
      });
      editor.value = made;
    };
    void make();
    return () => {
      isGone = true;
      made?.destroy();
    };
  }, [label, language, onText === undefined]);
  const shown = editor.value;
  useEffect(() => {
    if (shown && shown.text() !== text) shown.setText(text);
  }, [shown, text]);
  useEffect(() => shown?.setFaults(faults), [shown, faults]);
  return (
    <div class="code-editor" ref={host} style={{ height: `${lines * LINE_PX}px` }} data-ready={shown !== undefined} />
  );
}
