import { badGateway } from '@model-gateway/shared/errors';
import type { CountedUsage } from '../../../chat/counted-usage.ts';
import type { EventTranslator } from '../../answer-translators.ts';
import type { ChatCaller } from '../../chat-caller.ts';
import { CompletionChunks } from '../../completion-chunks.ts';
import { parseContentEvent } from './content-answer.ts';
import { type ContentEnd, endOf } from './finish.ts';
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
  #end: ContentEnd | undefined;
  #units: CountedUsage['units'] | undefined;

  constructor(caller: ChatCaller, modelId: string) {
    this.#caller = caller;
    this.#modelId = modelId;
  }

  get mayEnd(): boolean {
    return this.#end !== undefined;
  }

  translate(data: string): { text: string; done: boolean } {
    const answer = parseContentEvent(data);
    this.#units = unitsOf(answer.usage) ?? this.#units;
    const isFinished = answer.finishReason !== undefined || answer.block !== undefined;
    this.#count(this.#end !== undefined || isFinished);
    let text = '';
    if (this.#chunks === undefined) {
      this.#chunks = new CompletionChunks(this.#caller, this.#modelId, answer.id);
      text = this.#chunks.delta({ role: 'assistant', content: '' });
    }
    for (const part of answer.parts) text += this.#told(this.#chunks, this.#parts.read(part));
    if (isFinished) {
      text += this.#told(this.#chunks, this.#parts.close());
      this.#end = endOf(answer, this.#parts.hasCalls);
    }
    return { text, done: false };
  }

  end(): string {
    const [chunks, end] = [this.#chunks, this.#end];
    if (chunks === undefined || end === undefined) throw badGateway(new Error('the stream has no end'));
    const refusal = end.refusal === undefined ? '' : chunks.delta({ refusal: end.refusal });
    const usage = this.#units === undefined ? '' : chunks.usage(chatUsageOf(this.#units));
    return refusal + chunks.finish(end.reason) + usage + this.#caller.end();
  }

  #told(chunks: CompletionChunks, deltas: ReturnType<PartReader['read']>): string {
    let text = '';
    for (const delta of deltas) text += chunks.delta(delta);
    return text;
  }

  /** Each event counts all that came before it. */
  #count(isFinal: boolean): void {
    if (this.#units === undefined) return;
    this.#caller.count(isFinal ? { units: this.#units } : { units: this.#units, outputSoFar: true });
  }
}
