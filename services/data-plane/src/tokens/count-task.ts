import type { Tokenizer } from './tokenizer-of.ts';

/** Message to the count worker, which answers with the number of tokens. */
export interface CountTask {
  tokenizer: Tokenizer;
  /** The validated JSON of a Messages request. */
  json: Uint8Array<ArrayBuffer>;
}
