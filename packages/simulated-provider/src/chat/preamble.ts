import type { PromptCache } from '../cache/prompt-cache.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { tokenPieces } from '../text/tokenizer.ts';

/** Inputs of a response besides its request. */
export interface AnswerContext {
  readonly fault: Fault;
  readonly credential: string | undefined;
  /** Left out: nothing is cached. */
  readonly promptCache?: PromptCache;
}

/** Returns what the knob `echo_credential` puts before an answer. Streams send it in one piece. */
export function preambleOf({ credential, fault }: AnswerContext): string {
  return fault.echo_credential ? `You called me with ${credential ?? 'no credential'}. ` : '';
}

/** Cuts a text that begins with its preamble into tokens, after the preamble as a whole. */
export function* textPieces(text: string, preamble: string): Generator<string> {
  if (preamble !== '') yield preamble;
  for (const piece of tokenPieces(text.slice(preamble.length))) yield piece.text;
}
