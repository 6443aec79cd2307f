import { z } from 'zod';

/** Where a client finds the server. Clients of OpenAI's API add `/v1` to the URL, as their users do. */
export interface Connection {
  readonly url: string;
  readonly apiKey: string;
}

export interface Tokens {
  readonly input: number | undefined;
  readonly output: number | undefined;
}

/** A failed request as clients tell it apart: each has its own class, status or code for these. */
export type Fault = 'authentication' | 'notFound' | 'badRequest' | 'rateLimit' | 'server';

/** Asked with the tool `weather`; the client runs it as often as the model asks. */
export interface ToolQuestion {
  readonly model: string;
  readonly isStreamed: boolean;
  readonly weather: (city: string) => string;
}

/** A client of another vendor as its users call it: its own helpers, and nothing that is only there for us. */
export interface ClientUnderTest {
  chat(model: string): Promise<{ readonly text: string; readonly tokens: Tokens }>;
  /** The pieces of a text, and at the end its tokens. Throws where the stream is cut. */
  stream(model: string, signal: AbortSignal): AsyncGenerator<string, Tokens>;
  /** @returns The text that follows the calls of the tool. */
  useTool(question: ToolQuestion): Promise<string>;
  /** @returns What the client made of an answer in the form of `place`. */
  parse(model: string): Promise<unknown>;
  /** The ways in which the client can ask for vectors, by what they are called. */
  readonly embeddings?: Readonly<Record<string, (model: string, texts: string[]) => Promise<readonly number[][]>>>;
  readonly listModels?: () => AsyncIterable<{ readonly id: string }>;
  faultOf(error: unknown): Fault | undefined;
}

export type Connect = (connection: Connection) => ClientUnderTest;

export const instructions = 'Be brief.';
export const question = 'What is the weather in Bern?';

/** The form that structured answers are asked in. */
export const place = z.object({ city: z.string(), degrees: z.number() });

export const weatherInput = z.object({ city: z.string() });
export const weatherDescription = 'The weather in a city.';

/** @param classes The classes of errors that a client has for faults. */
export function faultByClass(
  classes: Readonly<Record<Fault, abstract new (...args: never[]) => Error>>,
): ClientUnderTest['faultOf'] {
  const all = Object.entries(classes) as [Fault, (typeof classes)[Fault]][];
  return (error) => all.find(([, each]) => error instanceof each)?.[0];
}
