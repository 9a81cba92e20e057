import { MAX_FORM_BYTES, transcriptionUsage } from '@model-gateway/shared';
import { z } from 'zod';
import { mostOfTranscription } from '../../billing/most-units.ts';
import type { Exchange, Usage } from '../../request-record.ts';
import {
  type AnswerRelay,
  type CapabilityCall,
  type ProviderAttempt,
  SIZED_BY_REQUEST,
} from '../../upstream/capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from '../../upstream/overhead.ts';
import { badGateway } from '../../upstream/provider-errors.ts';
import { cleanAnswer } from '../../upstream/redact.ts';
import { EventRelay, type StreamTimings } from '../../upstream/relay-event-stream.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';
import { TypedEvents } from '../typed-events.ts';
import { usageOf, withoutAbsurdUsage } from '../usage.ts';
import { AudioDurationMeter, wholeMs } from './audio-duration.ts';
import { encodeForm, type OutgoingForm } from './encode-form.ts';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const EVENT_STREAM = /^text\/event-stream\b/i;
const JSON_TYPE = /^application\/json\b/i;
/** Plain text and subtitles; a page of HTML is none of them. */
const TEXT_TYPES = /^(text\/(plain|vtt|srt)|application\/(x-subrip|octet-stream))\b/i;

const wholeAnswer = z.looseObject({
  text: z.string(),
  duration: z.coerce.number<unknown>().min(0).max(1_000_000).nullish().catch(null),
  usage: z.unknown(),
});

/** POST /v1/audio/transcriptions. Metered by the duration of the audio, the provider's count before ours. */
export function transcriptionCall(
  exchange: Exchange,
  form: OutgoingForm,
  timings: StreamTimings,
): CapabilityCall {
  const meter = new AudioDurationMeter(form.file.mimeType);
  const file = { ...form.file, content: meter.tap(form.file.content) };
  return {
    path: '/audio/transcriptions',
    accept: '*/*',
    streamed: false,
    // A started upload cannot be sent again.
    repeatable: Buffer.isBuffer(form.file.content),
    most: mostOfTranscription(uploadBytes(exchange, form)),
    ...SIZED_BY_REQUEST,
    body: (upstreamModel) => encodeForm({ ...form, file }, upstreamModel),
    answer: new TranscriptionRelay(exchange, timings, meter),
  };
}

/** What arrives in chunks may be as long as a form may be. */
function uploadBytes({ req }: Exchange, { file }: OutgoingForm): number {
  if (Buffer.isBuffer(file.content)) return file.content.length;
  return Number(req.headers['content-length'] ?? MAX_FORM_BYTES);
}

/** Whether events, JSON or text come back was up to fields that may have come after the file: the answer tells. */
class TranscriptionRelay implements AnswerRelay {
  readonly #exchange: Exchange;
  readonly #timings: StreamTimings;
  readonly #meter: AudioDurationMeter;
  #events: EventRelay | undefined;
  #whole: { contentType: string; body: Buffer } | undefined;
  #reported: unknown;
  #delivered = false;
  #usage: Usage | undefined;

  constructor(exchange: Exchange, timings: StreamTimings, meter: AudioDurationMeter) {
    this.#exchange = exchange;
    this.#timings = timings;
    this.#meter = meter;
  }

  async pass(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> {
    const contentType = String(answer.headers['content-type'] ?? '');
    try {
      if (EVENT_STREAM.test(contentType)) await this.#passEvents(answer, current);
      else await this.#passWhole(current, contentType);
    } finally {
      this.#usage = await this.#measure();
    }
  }

  finish(): void {
    this.#events?.finish();
    if (this.#whole === undefined) return;
    const { contentType, body } = this.#whole;
    this.#exchange.res.writeHead(200, {
      'content-type': contentType,
      'content-length': body.length,
      [OVERHEAD_HEADER]: overheadMs(this.#exchange),
    });
    this.#exchange.res.end(body);
  }

  fail(failure: unknown): void {
    this.#events?.fail(failure);
  }

  usage(): Usage | undefined {
    return this.#delivered ? this.#usage : undefined;
  }

  async #passEvents(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> {
    this.#exchange.record.streamed = true;
    this.#events = new EventRelay(
      this.#exchange,
      this.#timings,
      new TypedEvents({
        onEvent: (event) => {
          this.#delivered = true;
          if ('usage' in event) this.#reported = event.usage;
        },
        usage: () => this.#usage,
      }),
    );
    await this.#events.pass(answer, current);
  }

  async #passWhole({ attempt, call, credential }: ProviderAttempt, contentType: string): Promise<void> {
    const isJson = JSON_TYPE.test(contentType);
    if (!isJson && !TEXT_TYPES.test(contentType)) {
      throw badGateway(new Error(`the provider answered ${contentType.slice(0, 100) || 'no type'}`));
    }
    const text = (await call.readBytes(MAX_ANSWER_BYTES)).toString();
    attempt.firstByteAtMs = performance.now();
    attempt.endedAtMs = attempt.firstByteAtMs;
    const body = Buffer.from(cleanAnswer(isJson ? this.#readJson(text) : text, credential));
    this.#delivered = true;
    this.#whole = {
      contentType: isJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
      body,
    };
  }

  /** @returns what of it the client gets */
  #readJson(text: string): string {
    try {
      const value: unknown = JSON.parse(text);
      const parsed = wholeAnswer.parse(value);
      const { duration, usage } = parsed;
      // A count of tokens says nothing of the duration, which other members may.
      this.#reported = transcriptionUsage.safeParse(usage).success ? usage : { seconds: duration };
      const visible = withoutAbsurdUsage(parsed);
      return visible === parsed ? text : JSON.stringify(visible);
    } catch (cause) {
      throw badGateway(cause);
    }
  }

  async #measure(): Promise<Usage> {
    const reported = transcriptionUsage.safeParse(this.#reported);
    if (reported.success) return usageOf('provider', { audioMs: wholeMs(reported.data.seconds) });
    const { ms, measured } = await this.#meter.duration();
    return usageOf(measured ? 'gateway' : 'estimated', { audioMs: ms });
  }
}
