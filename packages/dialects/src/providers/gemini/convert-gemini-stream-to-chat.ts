import { causedByRequest } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { EventTranslator, TranslatedEvents } from '../../interfaces/response-translators.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import { ChatChunks } from '../shared/write-chat-chunks.ts';
import { convertGeminiUsage, geminiTier, geminiUnits } from './gemini-usage.ts';
import { mapGeminiFinishReason, requireUnbrokenGemini } from './map-gemini-finish-reason.ts';
import { type GeminiResponse, parseGeminiEvent } from './parse-gemini-response.ts';
import { GeminiPartReader } from './read-gemini-parts.ts';

/** Enough for an image of four megapixels that hardly compresses, in base64. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Converts events to chunks. A stream has no last event: usage may follow the finish reason, so the last
 * chunks are sent when the provider closes the stream.
 */
export class GeminiStreamToChat implements EventTranslator {
  readonly maxEventBytes = MAX_EVENT_BYTES;
  readonly #chunks: ChatChunks;
  readonly #parts = new GeminiPartReader();
  /** The event with the finish reason. */
  #finish: GeminiResponse | undefined;
  #units: CountedUsage['units'] | undefined;
  #hasWritten = false;
  /** True if there was output after the last usage. */
  #hasUncounted = false;

  constructor(caller: ChatCaller, modelId: string) {
    this.#chunks = new ChatChunks(caller, modelId);
  }

  get mayEnd(): boolean {
    return this.#finish !== undefined;
  }

  get rest(): string {
    return this.#chunks.text;
  }

  translate(data: string): TranslatedEvents {
    const answer = parseGeminiEvent(data);
    if (!this.#chunks.hasBegun) this.#chunks.begin(answer.id);
    const begun = this.#chunks.text.length;
    for (const part of answer.parts) this.#chunks.deltas(this.#parts.read(part));
    if (answer.finishReason !== undefined || answer.block !== undefined) {
      this.#finish = answer;
      this.#chunks.deltas(this.#parts.close());
    }
    this.#count(answer.usage, this.#chunks.text.length > begun);
    requireUnbrokenGemini(answer);
    return this.#chunks.take();
  }

  end(): string {
    const [finish, units] = [this.#finish, this.#units];
    if (finish === undefined) throw causedByRequest('the stream has no end');
    this.#chunks.deltas(this.#parts.close());
    // Some calls come after the finish reason.
    const end = mapGeminiFinishReason(finish, this.#parts.hasCalls);
    const usage = units === undefined || this.#lacksOutput(units) ? undefined : convertGeminiUsage(units);
    this.#chunks.end(end.reason, usage, end.refusal);
    return this.#chunks.take().text;
  }

  /** A usage includes its own event. */
  #count(usage: unknown, hasWritten: boolean): void {
    this.#chunks.reportTier(geminiTier(usage));
    const units = geminiUnits(usage);
    this.#hasWritten ||= hasWritten;
    this.#hasUncounted = units === undefined && (this.#hasUncounted || hasWritten);
    this.#units = units ?? this.#units;
    if (this.#units === undefined) return;
    const isFinal = this.#finish !== undefined && !this.#lacksOutput(this.#units);
    this.#chunks.count(isFinal ? { units: this.#units } : { units: this.#units, outputSoFar: true });
  }

  /** Returns true if a count does not include all output. */
  #lacksOutput({ outputTokens }: CountedUsage['units']): boolean {
    return this.#hasUncounted || (this.#hasWritten && outputTokens === 0);
  }
}
