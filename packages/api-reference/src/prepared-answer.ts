import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { inBackground } from '@model-gateway/service-kit';

/** A body as it is sent, and its ETag, which is the same in every process that serves the same content. */
export interface Representation {
  body: Buffer;
  /** Two representations of the same content have different ones (RFC 9110, section 8.8.3.3). */
  etag: string;
  /** Its content coding; undefined: none. */
  encoding?: 'gzip';
}

/** A response that fits into one packet arrives no sooner compressed. */
const MIN_BYTES = 1_400;
const compress = promisify(gzip);
/** Only one response is compressed at a time, to bound memory. */
let isCompressing = false;

/** A response that may be sent many times. */
export class PreparedAnswer implements Representation {
  readonly body: Buffer;
  readonly etag: string;
  /** The ETag of the compressed form, even before it is made: another process may have sent it. */
  readonly gzippedEtag: string;
  #gzipped: Representation | undefined;
  #calls = 0;

  constructor(content: string | Buffer) {
    this.body = Buffer.from(content);
    const hash = createHash('sha256').update(this.body).digest('base64url').slice(0, 27);
    this.etag = `"${hash}"`;
    this.gzippedEtag = `"${hash}-gzip"`;
  }

  /**
   * Returns the compressed form once it exists. The second call starts it: many responses are sent only once.
   */
  gzipped(): Representation | undefined {
    this.#calls += 1;
    const isWanted = this.#calls > 1 && this.#gzipped === undefined && this.body.length >= MIN_BYTES;
    if (isWanted && !isCompressing) inBackground(this.#compress());
    return this.#gzipped;
  }

  async #compress(): Promise<void> {
    isCompressing = true;
    try {
      // A copy: what zlib returns may be a small part of a large piece of memory.
      const body = Buffer.from(await compress(this.body));
      this.#gzipped = { body, etag: this.gzippedEtag, encoding: 'gzip' };
    } catch {
      // Out of memory: the response stays uncompressed.
    } finally {
      isCompressing = false;
    }
  }
}
