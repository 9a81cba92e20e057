import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PbfReader } from 'pbf';

const compress = promisify(gzip);

/** Statuses after which the protocol allows the same message again. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const MAX_TRIES = 4;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** A reply says at most how many items were refused, and why. */
const MAX_REPLY_BYTES = 64 * 1024;

export interface OtlpSenderOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  compression: 'none' | 'gzip';
}

/** The result of sending a message. `refused`: the number of its items that the collector did not take. */
export type Sent = { isSent: true; refused: number; reason: string } | { isSent: false; reason: string };

/** Sends messages over OTLP/HTTP (https://opentelemetry.io/docs/specs/otlp/), one after the other. */
export class OtlpSender {
  readonly #options: OtlpSenderOptions;

  constructor(options: OtlpSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends a message, and repeats it while the collector is busy or away. Never throws.
   * @param stop ends the attempts
   */
  async send(message: Uint8Array, stop: AbortSignal): Promise<Sent> {
    const { compression, headers } = this.#options;
    const isCompressed = compression === 'gzip';
    const body = isCompressed ? await compress(message) : message;
    const allHeaders = {
      ...headers,
      'content-type': 'application/x-protobuf',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    };
    for (let tries = 1; ; tries++) {
      const { retryAfterMs, sent } = await this.#post(body, allHeaders, stop);
      if (sent.isSent || retryAfterMs === undefined || tries === MAX_TRIES || stop.aborted) return sent;
      // Many processes that lost the same collector must not return at once.
      const pauseMs = retryAfterMs || FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random());
      await wait(Math.min(pauseMs, MAX_PAUSE_MS), undefined, { signal: stop, ref: false }).catch(
        () => undefined,
      );
      if (stop.aborted) return sent;
    }
  }

  /** @returns `retryAfterMs` if the message may be sent again; 0: after a pause of our choice */
  async #post(
    body: Uint8Array,
    headers: Record<string, string>,
    stop: AbortSignal,
  ): Promise<{ sent: Sent; retryAfterMs?: number }> {
    const { timeoutMs, url } = this.#options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        body: new Uint8Array(body),
        headers,
        // A redirect could lead the headers, which hold credentials, elsewhere.
        redirect: 'error',
        signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      });
      const reply = await readReply(response);
      if (response.ok) return { sent: { isSent: true, ...partialSuccess(reply) } };
      const sent = { isSent: false as const, reason: `HTTP status ${response.status}` };
      if (!RETRYABLE.has(response.status)) return { sent };
      return { sent, retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1_000 || 0 };
    } catch (error) {
      return { sent: { isSent: false, reason: reasonOf(error) }, retryAfterMs: 0 };
    }
  }
}

/**
 * Reads the start of a reply, and leaves the rest. A reply that breaks off after its status must not have the
 * message sent again.
 */
async function readReply({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_REPLY_BYTES) break;
    }
  } catch {
    // Too slow, or cut off.
  }
  return Buffer.concat(chunks);
}

/** Reads `partial_success` of an Export…ServiceResponse, which traces and metrics have alike. */
function partialSuccess(reply: Uint8Array): { refused: number; reason: string } {
  const partial = { refused: 0, reason: '' };
  try {
    new PbfReader(reply).readFields((field, _, response) => {
      if (field !== 1) return;
      response.readMessage((member, found, message) => {
        if (member === 1) found.refused = message.readVarint();
        if (member === 2) found.reason = message.readString();
      }, partial);
    }, undefined);
  } catch {
    // Some receivers reply with JSON or text. They took the message all the same.
  }
  return partial;
}

/** Returns a text without the URL and the headers, which hold credentials. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code ?? (error.name === 'TimeoutError' ? 'no reply in time' : error.name);
}
