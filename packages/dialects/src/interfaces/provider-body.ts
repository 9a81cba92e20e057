import type { Readable } from 'node:stream';

export interface ProviderBody {
  contentType: string;
  content: string | Buffer | Readable;
  /** The bytes of a Readable, where their number is known. */
  length?: number;
  /** The chunks of the Readable, if they exist beforehand: a signature covers them. */
  pieces?: Iterable<Buffer>;
}
