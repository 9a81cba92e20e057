import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { IFormat } from 'music-metadata';
import { anyFormat } from './audio/any-format.ts';
import { ByteWalker } from './audio/byte-walk.ts';
import { PlayingTime } from './audio/playing-time.ts';

/**
 * Typical rate of compressed speech, for audio whose container gives no duration. The result is flagged as an
 * estimate.
 */
const BYTES_PER_SECOND = 16_000;

/** Stereo at 192 kHz and 32 bits. A container that claims more bytes per second is wrong. */
const MAX_BYTES_PER_SECOND = 1_536_000;
/** Encoders pad audio with a little silence that containers do not count. */
const PADDING_SECONDS = 0.25;
const PADDING_SHARE = 0.02;
/** Bytes to walk before yielding to the event loop. */
const SLICE_BYTES = 256 * 1024;

/** Rounds up to whole milliseconds, ignoring floating-point noise. */
export function wholeMs(seconds: number): number {
  return Math.ceil(Math.round(seconds * 1_000_000) / 1_000);
}

export interface AudioDuration {
  ms: number;
  /** False: estimated from the size at a typical rate. */
  measured: boolean;
}

interface ClaimedDuration {
  seconds: number;
  /** Set for lossless audio, from its sample format. */
  bytesPerSecond: number | undefined;
}

/**
 * Measures audio while it passes: the duration that its container claims (wav, mp3, ogg, flac, m4a, …) and
 * how long its frames play. The caller controls the claim, so it only counts if it is not shorter.
 */
export class AudioDurationMeter {
  readonly #mimeType: string;
  #bytes = 0;
  readonly #time = new PlayingTime();
  readonly #walker = new ByteWalker(anyFormat(this.#time));
  #walked: Promise<void> = Promise.resolve();
  #claim: Promise<ClaimedDuration | undefined> = Promise.resolve(undefined);

  constructor(mimeType: string) {
    this.#mimeType = mimeType;
  }

  /** @returns the same bytes, never delayed by the measurement */
  tap(source: Readable | Buffer): Readable | Buffer {
    if (Buffer.isBuffer(source)) {
      this.#bytes = source.length;
      this.#claim = this.#measure(async ({ parseBuffer }) =>
        parseBuffer(source, { mimeType: this.#mimeType }, { duration: isContainer(source) }),
      );
      this.#walked = this.#walk(source);
      return source;
    }
    const copy = new PassThrough();
    source.on('data', (chunk: Buffer) => {
      if (this.#bytes === 0) this.#claim = this.#read(copy, isContainer(chunk));
      this.#bytes += chunk.length;
      this.#walker.push(chunk);
      copy.write(chunk);
    });
    source.once('end', () => copy.end());
    source.once('close', () => copy.end());
    // The listener made it flow. The sender resumes it.
    source.pause();
    return source;
  }

  #read(copy: PassThrough, isContainer: boolean): Promise<ClaimedDuration | undefined> {
    return this.#measure(async ({ parseStream }) =>
      parseStream(copy, { mimeType: this.#mimeType }, { duration: isContainer }),
    ).finally(() => {
      // Otherwise bytes that the parser ignores would pile up.
      copy.resume();
    });
  }

  async duration(): Promise<AudioDuration> {
    await this.#walked;
    const claim = await this.#claim;
    const seconds = this.#chooseSeconds(claim);
    if (seconds !== undefined && seconds * MAX_BYTES_PER_SECOND >= this.#bytes) {
      return { ms: wholeMs(seconds), measured: true };
    }
    return { ms: wholeMs(this.#bytes / BYTES_PER_SECOND), measured: false };
  }

  /** Chooses between claim and frames. @returns undefined if neither gives a duration */
  #chooseSeconds(claim: ClaimedDuration | undefined): number | undefined {
    const played = this.#time.of(this.#bytes);
    if (played !== undefined) {
      const minSeconds = played - Math.max(PADDING_SECONDS, played * PADDING_SHARE);
      return claim !== undefined && claim.seconds >= minSeconds ? claim.seconds : played;
    }
    if (this.#time.isLost) return undefined;
    // No walk for this container: check the claim against its own rate, else a typical one.
    const minSeconds = this.#bytes / (claim?.bytesPerSecond ?? BYTES_PER_SECOND);
    return claim !== undefined && claim.seconds >= minSeconds * (1 - PADDING_SHARE)
      ? claim.seconds
      : undefined;
  }

  async #walk(file: Buffer): Promise<void> {
    for (let at = 0; at < file.length; at += SLICE_BYTES) {
      if (at > 0) await yieldToEventLoop();
      this.#walker.push(file.subarray(at, at + SLICE_BYTES));
    }
  }

  async #measure(
    parse: (library: typeof import('music-metadata')) => Promise<{ format: IFormat }>,
  ): Promise<ClaimedDuration | undefined> {
    try {
      // Load the library with the first audio: most processes never see any.
      const { format } = await parse(await import('music-metadata'));
      const { bitsPerSample, duration, lossless, numberOfChannels, sampleRate } = format;
      if (duration === undefined || !Number.isFinite(duration) || duration <= 0) return undefined;
      const rate = ((bitsPerSample ?? 0) * (numberOfChannels ?? 0) * (sampleRate ?? 0)) / 8;
      return { seconds: duration, bytesPerSecond: lossless === true && rate > 0 ? rate : undefined };
    } catch {
      return undefined;
    }
  }
}

/**
 * Returns true for containers whose duration may be at the end of the file. For bare frames, the library
 * would need a minute for what the walk counts in a second.
 */
function isContainer(beginning: Buffer): boolean {
  return /^(RIFF|OggS|fLaC|.E\xdf\xa3|....ftyp)/s.test(beginning.toString('latin1', 0, 8));
}
