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

export type WirePart =
  | TextPart
  | InlineDataPart
  | (Omit<FunctionCallPart, 'functionCall'> & {
      functionCall: FunctionCallPart['functionCall'] & Identified;
      /** What the model thought when it made the call. Has to come back unchanged. */
      thoughtSignature?: string;
    })
  | (Omit<FunctionResponsePart, 'functionResponse'> & {
      functionResponse: FunctionResponsePart['functionResponse'] & Identified;
    });

export interface WireContent {
  role: 'user' | 'model';
  parts: WirePart[];
}

export interface WireFunction {
  name: string;
  description?: string;
  parametersJsonSchema: object;
}

export interface GenerateContentBody {
  contents: WireContent[];
  systemInstruction?: { parts: TextPart[] };
  tools?: [{ functionDeclarations: WireFunction[] }];
  toolConfig?: { functionCallingConfig: { mode: `${FunctionCallingMode}`; allowedFunctionNames?: string[] } };
  generationConfig?: Omit<GenerationConfig, 'responseSchema'> & { responseJsonSchema?: object };
}
