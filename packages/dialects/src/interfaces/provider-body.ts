import type { Readable } from 'node:stream';

/** What a provider is sent. */
export interface ProviderBody {
  contentType: string;
  content: string | Buffer | Readable;
  /** The bytes of a Readable, where their number is known. */
  length?: number;
  /** What a Readable gives, where that can be had beforehand: for a signature over it. */
  pieces?: Iterable<Buffer>;
}
