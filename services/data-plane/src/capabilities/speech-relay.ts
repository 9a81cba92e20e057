import { endpointOf, type SpeechEndpoint, type Usage, usageOf } from '@model-gateway/dialects';
import { SPEECH_CONTENT_TYPES, type SpeechRequest } from '@model-gateway/shared';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { MAX_ANSWER_BYTES } from '../memory/answer-budget.ts';
import type { AnswerRelay, ProviderAttempt } from '../upstream/capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { BytesRelay } from '../upstream/relay-bytes.ts';
import type { StreamTimings } from '../upstream/relay-event-stream.ts';
import {
  type PiecesInMemory,
  parseJson,
  readIntoMemory,
  sendWhole,
  textOf,
  type WholeAnswers,
} from '../upstream/relay-json.ts';
import type { UpstreamAnswer } from '../upstream/upstream-answer.ts';

/** Relays speech as it arrives, or extracts it from the JSON that some providers send. */
export class SpeechRelay implements AnswerRelay {
  readonly #exchange: AuthenticatedExchange;
  readonly #request: SpeechRequest;
  readonly #shared: WholeAnswers;
  readonly #usage: Usage;
  readonly #bytes: BytesRelay;
  #audio: PiecesInMemory | undefined;

  constructor(
    exchange: AuthenticatedExchange,
    request: SpeechRequest,
    shared: WholeAnswers & { streamTimings: StreamTimings },
  ) {
    this.#exchange = exchange;
    this.#request = request;
    this.#shared = shared;
    const usage = usageOf('gateway', { characters: request.characters });
    this.#usage = usage;
    this.#bytes = new BytesRelay(exchange, shared.streamTimings, {
      contentType: SPEECH_CONTENT_TYPES[request.format],
      accepts: /^(audio\/|application\/octet-stream)/i,
      usage: () => usage,
    });
  }

  get hasBegun(): boolean {
    return this.#bytes.hasBegun;
  }

  async pass(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> {
    const { readAudio: toAudio } = endpointOf(current.provider.protocol, 'speech');
    if (toAudio === undefined) await this.#bytes.pass(answer, current);
    else await this.#passWhole(answer, current, toAudio);
  }

  finish(): void {
    if (this.#audio === undefined) this.#bytes.finish();
    else
      sendWhole(this.#exchange, this.#shared, this.#audio, {
        'content-type': SPEECH_CONTENT_TYPES[this.#request.format],
        [OVERHEAD_HEADER]: overheadMs(this.#exchange),
      });
  }

  fail(): void {
    this.#bytes.fail();
  }

  usage(): Usage | undefined {
    return this.#audio === undefined ? this.#bytes.usage() : this.#usage;
  }

  async #passWhole(
    answer: UpstreamAnswer,
    current: ProviderAttempt,
    toAudio: NonNullable<SpeechEndpoint['readAudio']>,
  ): Promise<void> {
    const options = { maxBytes: MAX_ANSWER_BYTES };
    await readIntoMemory(this.#exchange, this.#shared, { answer, current }, options, (chunks, claim) => {
      this.#audio = { pieces: toAudio(parseJson(textOf(chunks)), this.#request), claim };
    });
  }
}
