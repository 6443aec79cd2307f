import type { Preset } from './presets.ts';

/** The way one server writes chat completions, and the warnings of one request. */
export interface ChatStyle {
  /** Name of the provider, for messages. */
  readonly provider: string;
  readonly preset: Preset | undefined;
  /** The model is OpenAI's own. */
  readonly isOpenAi: boolean;
  /** Where the reasoning of earlier turns goes. Absent: there is no place for it. */
  readonly reasoning: Preset['reasoning'];
  /** Makes ids of tool calls that the server takes. */
  readonly callId: (id: string) => string;
  /** Reports once what was expressed differently. */
  readonly warn: (sentence: string) => void;
}
