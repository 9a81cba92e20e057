import type { Readable } from 'node:stream';

export interface ProviderBody {
  contentType: string;
  content: string | Buffer | Readable;
  /** Length of a Readable in bytes, if known. */
  length?: number;
  /** The chunks of the Readable, if they are in memory: AWS signatures hash them. */
  pieces?: Iterable<Buffer>;
}
