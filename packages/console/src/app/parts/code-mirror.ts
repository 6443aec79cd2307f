import {
  autocompletion,
  type Completion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export interface EditorOptions {
  readonly parent: ShadowRoot;
  readonly label: string;
  readonly language: 'typescript' | 'json';
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onText: (text: string) => void;
  /** Offered while typing. */
  readonly words: () => readonly Completion[];
}

/** A fault at a line and column, which begin at 1. */
export interface PlacedFault {
  readonly line: number;
  readonly column: number;
  readonly detail: string;
}

export interface Editor {
  readonly text: () => string;
  readonly setText: (text: string) => void;
  readonly setFaults: (faults: readonly PlacedFault[]) => void;
  readonly destroy: () => void;
}

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--page)', font: 'var(--code)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { font: 'var(--code)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line)', color: 'var(--text)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.regexp], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.propertyName], color: 'var(--text)' },
]);

/** Browsers that replace a selection of several lines keep the style of its text in attributes, which the policy forbids. */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to } = view.state.selection.main;
    const { data: text, inputType } = event;
    if (inputType !== 'insertText' || text === null || from === to || view.composing) return false;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    return true;
  },
});

/** Put an editor into a shadow root: only there does it add its style as the content security policy allows. */
export function createEditor(options: EditorOptions): Editor {
  const { parent, label, language, text, isReadOnly, onText, words } = options;
  const complete = (context: CompletionContext) => {
    const word = context.matchBefore(/[\w.]+/);
    return word === null ? null : { from: word.from, options: [...words()], validFor: /^[\w.]*$/ };
  };
  const grammar = language === 'json' ? json() : javascript({ typescript: true });
  const view = new EditorView({
    root: parent,
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(language === 'json' ? {} : { override: [complete] }),
        highlightActiveLine(),
        lintGutter(),
        EditorView.lineWrapping,
        replaceSelection,
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        grammar,
        syntaxHighlighting(colours),
        theme,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onText(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (insert) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }),
    setFaults(faults) {
      const { doc } = view.state;
      const found = faults.map(({ line, column, detail: message }) => {
        const at = doc.line(Math.min(Math.max(1, line), doc.lines));
        const from = Math.min(at.from + Math.max(0, column - 1), at.to);
        return { from, to: at.to, severity: 'error' as const, message };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    destroy: () => view.destroy(),
  };
}
