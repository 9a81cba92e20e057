import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { type DestinationStream, pino } from 'pino';

/** How long a line may wait for further ones, to be written together with them. */
const FLUSH_MS = 20;
/** Characters per write. Each write wakes a thread: a line costs 0.4 µs, with 16,000 characters 1.3 µs. */
const BATCH_LENGTH = 64_000;
const LAST_LINES_MS = 1_000;
const CLOSE_MS = 200;
/** The longest time that `close` takes, in milliseconds. */
export const CLOSE_LOGS_MS = LAST_LINES_MS + CLOSE_MS;
/**
 * How many bytes may wait for a reader that has stopped reading, or for a full disk. Everything beyond that
 * is dropped.
 */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** How long a running write needs to end. */
const WRITE_MS = 50;

/**
 * Writes log lines to standard output in batches. At 4,000 lines a second, a line costs 10 µs, formatting
 * included, instead of 21 µs with a write each.
 */
export class BatchedOutput implements DestinationStream {
  readonly #output: ReturnType<typeof pino.destination>;
  readonly #atExit = () => this.#flushAtExit();
  #lines = '';
  #timer: NodeJS.Timeout | undefined;
  #isWriting = false;
  #isReaderGone = false;
  #isClosed = false;
  #dropped = 0;

  constructor() {
    this.#output = pino.destination({ sync: false, maxLength: MAX_WAITING_BYTES });
    this.#output.on('error', (error) => {
      // A service that cannot log goes on serving. Lines that could not be written (because the disk is full)
      // are written with the next ones.
      this.#isWriting = false;
      if ('code' in error && error.code === 'EPIPE') this.#isReaderGone = true;
    });
    this.#output.on('drop', (lines: string) => {
      this.#dropped += lines.split('\n').length - 1;
    });
    this.#output.on('drain', () => {
      this.#isWriting = false;
      if (this.#dropped > 0) this.#reportDropped();
    });
    // Must run before the library's own listener, which would write beside a running write.
    process.prependListener('exit', this.#atExit);
  }

  write(line: string): void {
    if (this.#isClosed) return;
    this.#lines += line;
    if (this.#lines.length >= BATCH_LENGTH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Writes the last lines, if somebody reads them. It tries for about a second at most. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#dropped > 0) this.#reportDropped();
    this.#flush();
    this.#isClosed = true;
    process.off('exit', this.#atExit);
    if (this.#isReaderGone) return;
    const output = this.#output;
    const ended = new Promise<void>((resolve) => {
      output.once('close', () => resolve());
      output.once('error', () => resolve());
    });
    output.end();
    await Promise.race([ended, wait(LAST_LINES_MS)]);
    output.destroy();
    await Promise.race([ended, wait(CLOSE_MS)]);
  }

  #flush(): void {
    const lines = this.#takeLines();
    if (lines === '' || this.#isReaderGone) return;
    this.#isWriting = true;
    this.#output.write(lines);
  }

  #reportDropped(): void {
    const lines = this.#dropped;
    this.#dropped = 0;
    const time = new Date().toISOString();
    this.write(
      `${JSON.stringify({ level: 40, time, lines, msg: 'log lines were lost: nobody took them' })}\n`,
    );
  }

  /**
   * Writes the rest when the process exits. From then on, no write of the other thread starts or finishes.
   */
  #flushAtExit(): void {
    if (this.#isReaderGone) return;
    if (this.#isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITE_MS);
    const lines = this.#takeLines();
    if (lines === '') return;
    try {
      this.#output.flushSync();
      pino.destination({ sync: true }).write(lines);
    } catch {
      // The disk is full, and nothing more can be done for these lines.
    }
  }

  #takeLines(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }
}
