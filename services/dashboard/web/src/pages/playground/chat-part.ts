/** A part of a streamed response. */
export type ChatPart =
  | { kind: 'text'; text: string }
  /** A piece of a tool call: id and name come once, arguments in pieces. */
  | { kind: 'tool-call'; index: number; id: string; name: string; args: string }
  /** Why the model stopped, such as `stop` or `length`. */
  | { kind: 'finished'; reason: string }
  | { kind: 'failed'; message: string; code: string; requestId: string | null }
  /** Nothing follows. */
  | { kind: 'end' };

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function textPart(value: unknown): ChatPart[] {
  return textOf(value) === '' ? [] : [{ kind: 'text', text: textOf(value) }];
}

export function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
}
