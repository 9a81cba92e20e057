import { z } from 'zod';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { sendPieces } from '../http/send-pieces.ts';
import { type AnswerSource, modelOf, type RequestRecord } from '../request-record.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';

/** Headers that belong to the answer. The others, such as rate limits, belong to the request. */
const HEADERS = [
  'content-type',
  'cache-control',
  'x-accel-buffering',
  'x-gateway-model',
  'x-gateway-ignored',
];
const EVENT_STREAM = /^text\/event-stream\b/;
const END_OF_HEAD = '\n'.charCodeAt(0);
const PIECE_BYTES = 64 * 1024;

const head = z.object({
  headers: z.record(z.string(), z.string()),
  /** Absent: no provider was asked. */
  source: z
    .object({ modelId: z.string().optional(), providerId: z.string(), upstreamModel: z.string() })
    .optional(),
  /** Only of cached answers. */
  cached: z
    .object({
      /** Start of its request, by the clock of Redis. */
      atMs: z.number(),
      keyId: z.string(),
      tags: z.record(z.string(), z.string()),
    })
    .optional(),
});

export type AnswerHead = z.infer<typeof head>;

export interface RememberedAnswer extends AnswerHead {
  body: Buffer;
}

/** Returns what is stored beside the body of a response. */
export function answerHead({ record, res }: AuthenticatedExchange): AnswerHead {
  const headers: Record<string, string> = {};
  for (const name of HEADERS) {
    const value = res.getHeader(name);
    if (value !== undefined) headers[name] = String(value);
  }
  return { headers, source: record.cachedFrom ?? sourceOf(record) };
}

function sourceOf(record: RequestRecord): AnswerSource | undefined {
  const attempt = record.attempts.at(-1);
  if (attempt === undefined) return undefined;
  const { providerId, upstreamModel } = attempt;
  return { modelId: modelOf(record)?.id, providerId, upstreamModel };
}

/** Serializes an answer: its head as one line of JSON, then the bytes of its body. */
export function packAnswer(answer: AnswerHead, body: readonly Buffer[]): Buffer[] {
  return [Buffer.from(`${JSON.stringify(answer)}\n`), ...body];
}

/** Parses the result of `packAnswer`, which decryption has authenticated. */
export function unpackAnswer(bytes: Buffer): RememberedAnswer {
  const end = bytes.indexOf(END_OF_HEAD);
  return { ...head.parse(JSON.parse(bytes.toString('utf8', 0, end))), body: bytes.subarray(end + 1) };
}

/** Sends an answer again, a stream as a stream. Its memory belongs to the exchange. */
export function sendAnswer(
  exchange: AuthenticatedExchange,
  { body, headers }: RememberedAnswer,
  { own, windowMs }: { own: Record<string, string>; windowMs: number },
): void {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += PIECE_BYTES) pieces.push(body.subarray(at, at + PIECE_BYTES));
  const isStream = EVENT_STREAM.test(headers['content-type'] ?? '');
  sendPieces(exchange, pieces, {
    headers: {
      ...headers,
      ...own,
      [OVERHEAD_HEADER]: overheadMs(exchange),
      ...(isStream ? {} : { 'content-length': body.length }),
    },
    windowMs,
    onSent: () => undefined,
  });
}
