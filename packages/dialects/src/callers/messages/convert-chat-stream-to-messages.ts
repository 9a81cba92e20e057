import type { JsonObject } from '../../json/json-object.ts';
import type { ChatMeter } from '../../usage/chat-meter.ts';
import type { ChatEnd } from '../chat-output/chat-end.ts';
import { type ChatToolCall, ChatToolCalls } from '../chat-output/chat-tool-calls.ts';
import { OrderedChatParts, type PartTeller } from '../chat-output/order-chat-parts.ts';
import { writeImageMarkdown } from './image-markdown.ts';
import { MessagesBlockEvents } from './messages-block-events.ts';
import { carryReasoning } from './messages-carried-reasoning.ts';
import { readChatReasoning, type ThinkingSink } from './read-chat-reasoning.ts';

type Meter = Pick<ChatMeter, 'deliverImage' | 'deliverText'>;

/** The blocks of an answer that comes in chunks. */
export class ChatStreamToMessages {
  readonly #events = new MessagesBlockEvents();
  readonly #parts: OrderedChatParts;

  /** @param meter is told what goes out, when it goes out */
  constructor(meter: Meter) {
    this.#parts = new OrderedChatParts(new BlockTeller(this.#events, meter), new ChatToolCalls('toolu'));
  }

  get hasCalls(): boolean {
    return this.#parts.hasCalls;
  }

  /**
   * @param delta of a choice
   * @returns the events for it
   * @throws GatewayError 502 for what no answer has
   */
  write(delta: JsonObject): string {
    this.#parts.write(delta);
    return this.#events.take();
  }

  /**
   * @returns the events that close the last block, with all that was held
   * @throws GatewayError 502 when the arguments of a call that is complete are no JSON object
   */
  end(end: ChatEnd): string {
    this.#parts.end(end);
    this.#events.close();
    return this.#events.take();
  }
}

/** Tells each part of an answer as a block, and the meter of its text. */
class BlockTeller implements PartTeller, ThinkingSink {
  readonly #events: MessagesBlockEvents;
  readonly #meter: Meter;

  constructor(events: MessagesBlockEvents, meter: Meter) {
    this.#events = events;
    this.#meter = meter;
  }

  reasoning(written: JsonObject): void {
    readChatReasoning(written, this);
  }

  thinking(text: string, unsigned: string): void {
    this.#meter.deliverText(text);
    this.#events.thinking(text, unsigned);
  }

  signature(signature: string): void {
    this.#events.signature(signature);
  }

  redacted(data: string): void {
    this.#events.redacted(data);
  }

  text(text: string): void {
    this.#meter.deliverText(text);
    this.#events.text(text);
  }

  refusal(text: string): void {
    this.text(text);
  }

  picture(url: string): void {
    this.#meter.deliverImage();
    this.#events.wholeText(writeImageMarkdown(url));
  }

  annotations(): void {
    // Messages has its own form for what a text quotes, which needs more than Chat Completions says.
  }

  callExtra(id: string, extraContent: unknown): void {
    this.#events.redacted(carryReasoning({ call: { id, extra_content: extraContent } }));
  }

  startCall(call: ChatToolCall): void {
    this.#meter.deliverText(call.name);
    this.#events.startCall(call.knownId, call.name);
    this.args(call.args);
  }

  args(piece: string): void {
    this.#meter.deliverText(piece);
    this.#events.args(piece);
  }

  endCall(): void {
    this.#events.close();
  }

  takesText(): boolean {
    return false;
  }
}
