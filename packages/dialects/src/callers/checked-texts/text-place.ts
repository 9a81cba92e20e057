/**
 * Kinds of text. `arguments`: the JSON of a tool call's arguments, or the text of a custom tool's input;
 * `image`: a URL or base64; `audio`: speech, which cannot be checked as text.
 */
export type PlaceKind = 'text' | 'arguments' | 'image' | 'audio';

/** A place in a request or response that holds text of a caller or a model. */
export interface TextPlace {
  kind: PlaceKind;
  text: string;
  /** Pieces of one longer text have the same channel. Undefined: the place holds a whole text. */
  channel: string | undefined;
  /** For `arguments`: the call. */
  call: ToolCall | undefined;
  /** Replaces the text in its place. @throws Error if it does not fit, such as arguments that are no JSON */
  put(text: string): void;
}

export interface ToolCall {
  id: string;
  name: string;
}
