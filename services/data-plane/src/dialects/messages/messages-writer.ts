import { badGateway } from '@model-gateway/shared/errors';
import type { ChatAnswer } from '../../chat/chat-answer.ts';
import type { ChatMeter } from '../../chat/chat-meter.ts';
import type { CountedUsage } from '../../chat/counted-usage.ts';
import type { Usage } from '../../metering/usage.ts';
import type { JsonAnswer, LargeJsonAnswer } from '../../providers/answer-translators.ts';
import type { MessagesCaller } from '../../providers/chat-caller.ts';

/** A caller of Messages: what a provider of that API sends passes, all else is written in it. */
export class MessagesWriter implements MessagesCaller {
  readonly #meter: ChatMeter;
  readonly #modelId: string;

  constructor(meter: ChatMeter, modelId: string) {
    this.#meter = meter;
    this.#modelId = modelId;
  }

  passEvent(type: string, data: string, written: unknown): string {
    if (written !== undefined) this.#meter.deliverText(written);
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  passMessage(text: string, written: unknown): JsonAnswer {
    this.#meter.deliverText(written);
    return { body: text, usage: this.#wholeUsage() };
  }

  passLarge(pieces: Buffer[], writtenBytes: number): LargeJsonAnswer {
    this.#meter.deliverText(writtenBytes);
    return { pieces, usage: this.#wholeUsage() };
  }

  count(usage: CountedUsage): void {
    this.#meter.count(usage);
  }

  chunk(_chunk: ChatAnswer): string {
    throw badGateway(new Error(`${this.#modelId} answers in another API`));
  }

  end(): string {
    throw badGateway(new Error(`${this.#modelId} answers in another API`));
  }

  completion(_completion: ChatAnswer): JsonAnswer {
    throw badGateway(new Error(`${this.#modelId} answers in another API`));
  }

  #wholeUsage(): Usage {
    const usage = this.#meter.usage(true);
    if (usage === undefined) throw badGateway(new Error('nothing was delivered'));
    return usage;
  }
}
