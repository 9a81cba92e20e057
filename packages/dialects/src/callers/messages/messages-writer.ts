import { newId } from '@model-gateway/shared';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { MessagesCaller } from '../../interfaces/chat-caller.ts';
import type { JsonAnswer, LargeJsonAnswer } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { ChatMeter } from '../../usage/chat-meter.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';
import { chatEndOf, requireFinishReason } from '../chat-output/chat-end.ts';
import type { ToolNames } from '../chat-request/tool-names.ts';
import { ChatStreamToMessages } from './convert-chat-stream-to-messages.ts';
import { MessagesBlocks } from './convert-chat-to-message.ts';
import { messagesToolNames } from './convert-messages-tools.ts';
import { mapMessagesStopReason, type StopReason } from './map-messages-stop-reason.ts';
import { firstUsage, messagesTier, messagesUsage } from './messages-usage.ts';

export class MessagesWriter implements MessagesCaller {
  readonly #meter: ChatMeter;
  readonly #modelId: string;
  readonly #toolNames: readonly string[];
  #names: ToolNames | undefined;
  #stream: ChatStreamToMessages;
  #hasBegun = false;
  #isRefusal = false;
  #finishReason: unknown;

  /** @param toolNames of the request's tools, if some are too long for other APIs */
  constructor(meter: ChatMeter, modelId: string, toolNames: readonly string[] = []) {
    this.#meter = meter;
    this.#modelId = modelId;
    this.#toolNames = toolNames;
    this.#stream = this.#newStream();
  }

  restart(): void {
    this.#stream = this.#newStream();
    this.#hasBegun = false;
    this.#isRefusal = false;
    this.#finishReason = undefined;
  }

  passEvent(type: string, data: string, written: unknown): string {
    if (written !== undefined) this.#meter.deliverText(written);
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  passMessage(text: string, written: unknown): JsonAnswer {
    this.#meter.deliverText(written);
    return { body: text, usage: this.#meter.usage(true) };
  }

  passLarge(pieces: Buffer[], written: unknown): LargeJsonAnswer {
    this.#meter.deliverText(written);
    return { pieces, usage: this.#meter.usage(true) };
  }

  count(usage: CountedUsage): void {
    this.#meter.count(usage);
  }

  reportTier(tier: unknown): void {
    this.#meter.reportTier(tier);
  }

  chunk({ choices, service_tier, usage }: ChatResponse): string {
    this.#meter.report(usage);
    this.#meter.reportTier(service_tier);
    let events = this.#hasBegun ? '' : this.#begin();
    for (const { delta, finish_reason, index, message } of choices) {
      // One answer is asked for, and Messages has but one.
      if (index !== undefined && index !== 0) continue;
      const written = delta ?? message;
      if (isObject(written)) {
        if (hasRefusal(written)) this.#isRefusal = true;
        events += this.#stream.write(written);
      }
      if (typeof finish_reason === 'string' && finish_reason !== '') this.#finishReason = finish_reason;
    }
    return events;
  }

  /** @throws GatewayError 502 for a stream that ends without a reason, or in the middle of a tool call */
  end(): string {
    requireFinishReason(this.#finishReason);
    const { hasCalls } = this.#stream;
    const end = chatEndOf(this.#finishReason, hasCalls);
    const stopReason = mapMessagesStopReason(end, { hasCalls, isRefusal: this.#isRefusal });
    const blocks = this.#stream.end(end);
    const delta = {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: this.#shown(messagesUsage(this.#meter.usage(true))),
    };
    return `${blocks}${eventOf(delta)}${eventOf({ type: 'message_stop' })}`;
  }

  completion({ choices, service_tier, usage: reported }: ChatResponse): JsonAnswer {
    this.#meter.report(reported);
    this.#meter.reportTier(service_tier);
    const choice = choices[0] ?? {};
    const { finish_reason, message } = choice;
    if (!isObject(message)) throw unexpectedJson(new Error('its choice has no message'));
    this.#meter.deliver([choice]);
    const blocks = new MessagesBlocks(message, this.#callersName);
    const { hasCalls } = blocks;
    const end = chatEndOf(finish_reason, hasCalls);
    const stopReason = mapMessagesStopReason(end, { hasCalls, isRefusal: hasRefusal(message) });
    const billed = this.#meter.usage(true);
    const usage = this.#shown(messagesUsage(billed));
    const body = { ...this.#message(blocks.content(end), stopReason), usage };
    return { body, usage: billed };
  }

  #newStream(): ChatStreamToMessages {
    return new ChatStreamToMessages(this.#meter, this.#callersName);
  }

  /** Returns the caller's name of a tool. */
  readonly #callersName = (name: string): string => {
    if (this.#toolNames.length === 0) return name;
    this.#names ??= messagesToolNames(this.#toolNames);
    return this.#names.tool(name)?.name ?? name;
  };

  #begin(): string {
    this.#hasBegun = true;
    const usage = this.#shown(firstUsage(this.#meter.usage(true)));
    const message = { ...this.#message([], null), usage };
    return eventOf({ type: 'message_start', message });
  }

  #shown(usage: ReturnType<typeof messagesUsage>) {
    return { ...usage, ...messagesTier(this.#meter.servedTier) };
  }

  #message(content: readonly object[], stopReason: StopReason | null) {
    return {
      id: newId('msg'),
      type: 'message',
      role: 'assistant',
      model: this.#modelId,
      content,
      stop_reason: stopReason,
      stop_sequence: null,
    };
  }
}

function eventOf(event: { type: string; [member: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function hasRefusal({ refusal }: JsonObject): boolean {
  return typeof refusal === 'string' && refusal !== '';
}
