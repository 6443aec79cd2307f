import type {
  FunctionCallingMode,
  FunctionCallPart,
  FunctionResponsePart,
  GenerationConfig,
  InlineDataPart,
  TextPart,
} from '@google/generative-ai';

// The SDK's types, with the members that the API got after the SDK's last version.

interface Identified {
  readonly id?: string;
}

/** The thought of the model behind the part. It must come back unchanged. */
interface Signed {
  thoughtSignature?: string;
}

export type WireText = TextPart & Signed & { thought?: boolean };

export type InlinePart = InlineDataPart;

export type MediaPart = InlinePart | { fileData: { fileUri: string; mimeType?: string } };

export type WirePart =
  | WireText
  | MediaPart
  | (Omit<FunctionCallPart, 'functionCall'> & {
      functionCall: FunctionCallPart['functionCall'] & Identified;
    } & Signed)
  | (Omit<FunctionResponsePart, 'functionResponse'> & {
      functionResponse: FunctionResponsePart['functionResponse'] & Identified & { parts?: InlinePart[] };
    });

export interface WireContent {
  role: 'user' | 'model';
  parts: WirePart[];
}

interface WireFunction {
  name: string;
  description?: string;
  parametersJsonSchema: object;
}

export interface WireTools {
  tools?: ({ functionDeclarations: WireFunction[] } | object)[];
  toolConfig?: { functionCallingConfig?: { mode: `${FunctionCallingMode}`; allowedFunctionNames?: string[] } };
}

export interface ThinkingConfig {
  thinkingLevel?: 'minimal' | 'low' | 'medium' | 'high';
  thinkingBudget?: number;
}

export interface WireGenerationConfig extends Omit<GenerationConfig, 'responseSchema'> {
  responseJsonSchema?: object;
  seed?: number;
  thinkingConfig?: ThinkingConfig;
}

export interface GenerateContentBody extends WireTools {
  contents: WireContent[];
  systemInstruction?: { parts: WireText[] };
  generationConfig?: WireGenerationConfig;
}
