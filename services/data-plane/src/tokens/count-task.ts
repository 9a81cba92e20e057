import type { Tokenizer } from './tokenizer-of.ts';

/** The question to the thread that counts tokens. It answers with their number. */
export interface CountTask {
  tokenizer: Tokenizer;
  /** The JSON of a request of Messages, which was checked before. */
  json: Uint8Array<ArrayBuffer>;
}
