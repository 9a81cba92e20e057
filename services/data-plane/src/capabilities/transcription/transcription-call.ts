import {
  endpointOf,
  type IncomingForm,
  isAbsurdUsage,
  type JsonNode,
  OutlinedResponse,
  type Usage,
  unexpectedJson,
  usageOf,
  wrongContentType,
} from '@model-gateway/dialects';
import { transcriptionUsage } from '@model-gateway/shared';
import { z } from 'zod';
import { maxUnitsOfTranscription } from '../../billing/max-units.ts';
import type { AuthenticatedExchange } from '../../http/exchange.ts';
import {
  type AnswerRelay,
  type CapabilityCall,
  type ProviderAttempt,
  SIZED_BY_REQUEST,
} from '../../upstream/capability-call.ts';
import { cleanPieces } from '../../upstream/clean-pieces.ts';
import { OVERHEAD_HEADER, overheadMs } from '../../upstream/overhead.ts';
import { EventRelay, isEventStream, type StreamTimings } from '../../upstream/relay-event-stream.ts';
import {
  Outliner,
  type PiecesInMemory,
  parseJson,
  readIntoMemory,
  sendWhole,
  textOf,
  type WholeAnswers,
} from '../../upstream/relay-json.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';
import { TypedEvents } from '../typed-events.ts';
import { type Recording, wholeMs } from './recording.ts';

const MAX_TRANSCRIPT_BYTES = 16 * 1024 * 1024;
const JSON_TYPE = /^application\/json\b/i;
/** Plain text and subtitles, but not an HTML page. */
const TEXT_TYPES = /^(text\/(plain|vtt|srt)|application\/(x-subrip|octet-stream))\b/i;

const wholeAnswer = z.looseObject({
  text: z.string(),
  duration: z.coerce.number<unknown>().min(0).max(1_000_000).nullish().catch(null),
  /** Optional: many providers send none. */
  usage: z.unknown().optional(),
});

type TranscriptionAnswers = WholeAnswers & { streamTimings: StreamTimings };

/** POST /v1/audio/transcriptions. Metered by audio duration; the provider's count takes precedence. */
export function transcriptionCall(
  exchange: AuthenticatedExchange,
  form: IncomingForm,
  recording: Recording,
  shared: TranscriptionAnswers,
): CapabilityCall {
  const answer = new TranscriptionRelay(exchange, shared, recording);
  return {
    streamed: false,
    streamedIfAnswerIs: true,
    // A streamed upload cannot be sent twice.
    isRepeatable: () => Buffer.isBuffer(form.file.content),
    maxUnits: maxUnitsOfTranscription(recording.announcedBytes),
    ...SIZED_BY_REQUEST,
    buildRequest: (protocol, upstreamModel, pace) =>
      endpointOf(protocol, 'transcription').buildRequest(form, upstreamModel, pace),
    estimateUnread: () => answer.measure(),
    answer,
  };
}

/**
 * Relays events, JSON or text, as the content type of the response says: form fields after the file may
 * decide, and the gateway does not wait for them.
 */
class TranscriptionRelay implements AnswerRelay {
  readonly #exchange: AuthenticatedExchange;
  readonly #shared: TranscriptionAnswers;
  readonly #recording: Recording;
  #events: EventRelay | undefined;
  #whole: (PiecesInMemory & { contentType: string }) | undefined;
  #reported: unknown;
  #isDelivered = false;
  #usage: Usage | undefined;

  constructor(exchange: AuthenticatedExchange, shared: TranscriptionAnswers, recording: Recording) {
    this.#exchange = exchange;
    this.#shared = shared;
    this.#recording = recording;
  }

  async pass(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> {
    // Forgets what an earlier attempt, which failed, reported and delivered.
    this.#reported = undefined;
    this.#isDelivered = false;
    try {
      if (isEventStream(answer)) await this.#passEvents(answer, current);
      else await this.#passWhole(answer, current);
    } finally {
      this.#usage = await this.measure();
    }
  }

  get hasBegun(): boolean {
    return this.#events?.hasBegun === true;
  }

  finish(): void {
    this.#events?.finish();
    if (this.#whole === undefined) return;
    const headers = {
      'content-type': this.#whole.contentType,
      [OVERHEAD_HEADER]: overheadMs(this.#exchange),
    };
    sendWhole(this.#exchange, this.#shared, this.#whole, headers);
  }

  fail(failure: unknown): void {
    // Ends the stream that a keep-alive of an earlier model began.
    if (this.#exchange.events !== undefined) this.#events ??= this.#openEvents();
    this.#events?.fail(failure);
  }

  usage(complete: boolean): Usage | undefined {
    if (!this.#isDelivered) return undefined;
    // The event relay knows how its stream ended.
    return this.#events === undefined ? this.#usage : this.#events.usage(complete);
  }

  async #passEvents(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> {
    this.#events = this.#openEvents();
    await this.#events.pass(answer, current);
  }

  #openEvents(): EventRelay {
    return new EventRelay(
      this.#exchange,
      this.#shared.streamTimings,
      new TypedEvents(() => ({
        onEvent: (event) => {
          this.#isDelivered = true;
          if ('usage' in event) this.#reported = event.usage;
        },
        usage: () => this.#usage,
      })),
    );
  }

  async #passWhole(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> {
    const contentType = answer.headers['content-type'];
    const { events, res } = this.#exchange;
    // A keep-alive of an earlier attempt has begun an event stream: the headers are sent.
    if (res.headersSent) throw wrongContentType(contentType, 'an event stream');
    events?.stop();
    this.#events = undefined;
    const isJson = JSON_TYPE.test(contentType ?? '');
    if (!isJson && !TEXT_TYPES.test(contentType ?? '')) throw wrongContentType(contentType, 'a transcript');
    const outliner = new Outliner({ within: '', depth: 1 }, this.#shared.largeAnswerBytes);
    const options = {
      maxBytes: MAX_TRANSCRIPT_BYTES,
      ...(isJson ? { onChunk: (chunk: Buffer) => outliner.push(chunk) } : {}),
    };
    await readIntoMemory(
      this.#exchange,
      this.#shared,
      { answer, current },
      options,
      async (chunks, claim) => {
        const visible = isJson ? this.#readJson(chunks, outliner.members()) : chunks;
        const pieces = await cleanPieces(visible, current.secrets, isJson);
        this.#whole = {
          contentType: isJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
          pieces,
          claim,
        };
        this.#isDelivered = true;
      },
    );
  }

  /** Reads usage and duration. @returns the bytes for the client */
  #readJson(chunks: Buffer[], members: readonly JsonNode[] | undefined): Buffer[] {
    if (members === undefined) {
      const value = parseJson(textOf(chunks));
      const usage = this.#readMembers(value);
      return isAbsurdUsage(usage)
        ? [Buffer.from(JSON.stringify({ ...Object(value), usage: undefined }))]
        : chunks;
    }
    const large = new OutlinedResponse(chunks, members);
    const text = large.member('text');
    const usage = this.#readMembers({
      // The schema only needs a string.
      text: text?.kind === 'string' ? '' : undefined,
      duration: large.small('duration'),
      usage: large.small('usage'),
    });
    return isAbsurdUsage(usage) ? large.edit({ usage: undefined }) : chunks;
  }

  /** @returns the provider's `usage` */
  #readMembers(value: unknown): unknown {
    const parsed = wholeAnswer.safeParse(value);
    if (!parsed.success) throw unexpectedJson(parsed.error);
    const { duration, usage } = parsed.data;
    // A token count gives no duration; the `duration` member may.
    this.#reported = transcriptionUsage.safeParse(usage).success ? usage : { seconds: duration };
    return usage;
  }

  async measure(): Promise<Usage> {
    const reported = transcriptionUsage.safeParse(this.#reported);
    if (reported.success) return usageOf('provider', { audioMs: wholeMs(reported.data.seconds) });
    return await this.#recording.usage();
  }
}
