import { badGateway } from '@model-gateway/shared/errors';
import type { CountedUsage } from '../../../chat/counted-usage.ts';
import type { EventTranslator } from '../../answer-translators.ts';
import type { ChatCaller } from '../../chat-caller.ts';
import { CompletionChunks } from '../../completion-chunks.ts';
import { type ContentAnswer, parseContentEvent } from './content-answer.ts';
import { endOf, requireUnbroken } from './finish.ts';
import { PartReader } from './part-reader.ts';
import { chatUsageOf, unitsOf } from './usage.ts';

/** A picture of four megapixels that hardly compresses, in base64. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Events of streamGenerateContent, told to a caller in the shape of Chat Completions. Such a stream has no
 * event for its end: it is complete if it has said why it ended, and may still tell its usage after that. So
 * the end goes out when the provider has ended its answer, or a broken stream would look like a success.
 */
export class ContentEvents implements EventTranslator {
  readonly maxEventBytes = MAX_EVENT_BYTES;
  readonly rest = '';
  readonly #caller: ChatCaller;
  readonly #modelId: string;
  readonly #parts = new PartReader();
  /** undefined: no event has come. */
  #chunks: CompletionChunks | undefined;
  /** The event that said why the answer ended. */
  #finish: ContentAnswer | undefined;
  #units: CountedUsage['units'] | undefined;
  #hasWritten = false;
  /** Whether something was written after the last usage. */
  #hasUncounted = false;

  constructor(caller: ChatCaller, modelId: string) {
    this.#caller = caller;
    this.#modelId = modelId;
  }

  get mayEnd(): boolean {
    return this.#finish !== undefined;
  }

  translate(data: string): { text: string; done: boolean } {
    const answer = parseContentEvent(data);
    let text = '';
    if (this.#chunks === undefined) {
      this.#chunks = new CompletionChunks(this.#caller, this.#modelId, answer.id);
      text = this.#chunks.delta({ role: 'assistant', content: '' });
    }
    const isFinished = answer.finishReason !== undefined || answer.block !== undefined;
    let written = '';
    for (const part of answer.parts) written += this.#told(this.#chunks, this.#parts.read(part));
    if (isFinished) {
      this.#finish = answer;
      written += this.#told(this.#chunks, this.#parts.close());
    }
    this.#count(answer.usage, written !== '');
    requireUnbroken(answer);
    return { text: text + written, done: false };
  }

  end(): string {
    const [chunks, finish] = [this.#chunks, this.#finish];
    if (chunks === undefined || finish === undefined) throw badGateway(new Error('the stream has no end'));
    const rest = this.#told(chunks, this.#parts.close());
    // Some calls come after the word that the answer has ended.
    const end = endOf(finish, this.#parts.hasCalls);
    const refusal = end.refusal === undefined ? '' : chunks.delta({ refusal: end.refusal });
    const isCounted = this.#units !== undefined && !this.#lacksOutput(this.#units);
    const usage = isCounted && this.#units ? chunks.usage(chatUsageOf(this.#units)) : '';
    return rest + refusal + chunks.finish(end.reason) + usage + this.#caller.end();
  }

  #told(chunks: CompletionChunks, deltas: ReturnType<PartReader['read']>): string {
    let text = '';
    for (const delta of deltas) text += chunks.delta(delta);
    return text;
  }

  /** A usage counts its event and all that came before. */
  #count(usage: unknown, hasWritten: boolean): void {
    const units = unitsOf(usage);
    this.#hasWritten ||= hasWritten;
    this.#hasUncounted = units === undefined && (this.#hasUncounted || hasWritten);
    this.#units = units ?? this.#units;
    if (this.#units === undefined) return;
    const isFinal = this.#finish !== undefined && !this.#lacksOutput(this.#units);
    this.#caller.count(isFinal ? { units: this.#units } : { units: this.#units, outputSoFar: true });
  }

  /** Whether there is more of the answer than these count. */
  #lacksOutput({ outputTokens }: CountedUsage['units']): boolean {
    return this.#hasUncounted || (this.#hasWritten && outputTokens === 0);
  }
}
