import type { Readable } from 'node:stream';
import { errorBody, GatewayError } from '@model-gateway/shared';
import { EventStreamWriter } from '../http/event-stream-writer.ts';
import { ClientGone, type Exchange, type UpstreamAttempt } from '../request-record.ts';
import { parseChunk, visibleChunk } from './chat-answer.ts';
import type { ChatMeter } from './chat-usage.ts';
import { badGateway, upstreamTimeout } from './provider-errors.ts';
import { SseParser } from './sse-events.ts';
import type { UpstreamCall } from './upstream-call.ts';

const DONE = '[DONE]';
/** A provider that has said [DONE] has this long to end its answer, so that the connection can be used again. */
const END_AFTER_DONE_MS = 1_000;

export interface StreamTimings {
  keepAliveMs: number;
  clientStallMs: number;
}

export interface ChatStreamInput {
  exchange: Exchange;
  call: UpstreamCall;
  attempt: UpstreamAttempt;
  body: Readable;
  meter: ChatMeter;
  modelId: string;
  includeUsage: boolean;
  /** Silence between complete events after which the provider counts as hanging. */
  idleMs: number;
  timings: StreamTimings;
  headers: () => Record<string, string>;
  /** Removes our provider credential from text on its way to the client. */
  clean: (text: string) => string;
}

/**
 * Passes a streamed completion on, event by event, with backpressure from the client to the provider.
 *
 * @returns when the provider said [DONE] and all of it has been handed to the client's connection
 * @throws GatewayError or ClientGone: when a byte was out already, the client has been told in an error event
 *   and its connection is broken off
 */
export async function relayChatStream(input: ChatStreamInput): Promise<void> {
  const { exchange, call, body } = input;
  const writer = new EventStreamWriter(exchange.res, {
    headers: input.headers,
    keepAliveMs: input.timings.keepAliveMs,
    stallMs: input.timings.clientStallMs,
    onStalled: () => {
      call.giveUp(new ClientGone());
      exchange.res.destroy();
    },
    onDrain: () => {
      call.extendLimit();
      body.resume();
    },
  });
  try {
    await pump(input, writer);
    writer.end(`data: ${DONE}\n\n`);
  } catch (thrown) {
    const failure = call.failure(thrown);
    if (failure instanceof GatewayError && exchange.res.headersSent) {
      writer.breakOff(`data: ${JSON.stringify(errorBody(failure, exchange.record.id))}\n\n`);
    } else {
      writer.abandon();
    }
    throw failure;
  }
}

/** Resolves at [DONE]; rejects when the stream breaks, hangs or holds rubbish. */
function pump(input: ChatStreamInput, writer: EventStreamWriter): Promise<void> {
  const { attempt, body, call, idleMs } = input;
  const parser = new SseParser();
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      try {
        const events = parser.push(chunk);
        if (events.length === 0) return;
        attempt.firstByteAtMs ??= performance.now();
        call.limit(idleMs, () => upstreamTimeout('the next event', idleMs));
        const { text, done } = translate(input, events);
        if (text !== '' && !writer.send(text)) body.pause();
        if (done) {
          endQuietly(body, call);
          resolve();
        }
      } catch (thrown) {
        reject(thrown instanceof GatewayError ? thrown : badGateway(thrown));
      }
    });
    body.once('end', () => reject(badGateway(new Error('the event stream ended without [DONE]'))));
    body.once('error', reject);
    body.once('close', () => reject(badGateway(new Error('the event stream was closed'))));
  });
}

function translate(input: ChatStreamInput, events: readonly string[]): { text: string; done: boolean } {
  let text = '';
  for (const data of events) {
    if (data === DONE) return { text, done: true };
    const chunk = parseChunk(data);
    input.meter.report(chunk.usage);
    input.meter.deliver(chunk.choices);
    const visible = visibleChunk(chunk, input.modelId, input.includeUsage);
    if (visible !== undefined) text += `data: ${input.clean(JSON.stringify(visible))}\n\n`;
  }
  return { text, done: false };
}

/** Whatever follows [DONE] is no concern of the client. */
function endQuietly(body: Readable, call: UpstreamCall): void {
  body.removeAllListeners('data');
  body.on('error', () => undefined);
  const cut = setTimeout(
    () => call.giveUp(new Error('the provider kept its answer open after [DONE]')),
    END_AFTER_DONE_MS,
  );
  body.once('close', () => clearTimeout(cut));
  body.resume();
}
