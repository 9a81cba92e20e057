/** A request, independent of any API. */
export interface Question {
  system?: string;
  turns: readonly Turn[];
  tools?: readonly QuestionTool[];
  /** The answer is to be JSON of this schema. */
  schema?: object;
  /** The model is to think before it answers, and to tell what it thinks. */
  thinks?: boolean;
  /** The maximum length of the response, in tokens. */
  most?: number;
}

export interface QuestionTool {
  name: string;
  parameters: object;
}

/** A turn of the conversation. `again` is what an earlier answer was, in the form of the caller's API. */
export type Turn =
  | { user: readonly AskedPart[] }
  /** A system message within the conversation. */
  | { instruction: string }
  | { again: readonly unknown[] }
  /** The words and the thoughts of an answer that this gateway has not given. */
  | { thought: string; said: string }
  | { results: readonly { id: string; parts: readonly AskedPart[] }[] };

/** The data is base64. */
export type AskedPart = { text: string } | { png: string } | { pdf: string };

export type Stop = 'stop' | 'length' | 'tool_calls' | 'refusal';

/** An answer, whatever the API. */
export interface Answer {
  text: string;
  thoughts: string;
  calls: { id: string; name: string; input: unknown }[];
  stop: Stop;
  usage: { input: number; cached: number; output: number };
  /** The messages to send back in the next turn. */
  again: readonly unknown[];
}
