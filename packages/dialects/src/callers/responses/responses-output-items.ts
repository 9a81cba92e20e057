import { newId } from '@model-gateway/shared';
import { causedByRequest } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';
import type { ChatMeter } from '../../usage/chat-meter.ts';
import { type ChatEnd, chatEndOf } from '../chat-output/chat-end.ts';
import { type ChatToolCall, ChatToolCalls } from '../chat-output/chat-tool-calls.ts';
import { OrderedChatParts, type PartWriter } from '../chat-output/order-chat-parts.ts';
import type { ToolNames } from '../chat-request/tool-names.ts';
import { type CallItem, callItem } from './responses-call-item.ts';
import { ReasoningGatherer, writeEncryptedContent } from './responses-carried-reasoning.ts';
import type { EventWriter } from './responses-events.ts';
import { responsesImage, writeImageItem } from './responses-image-item.ts';
import { type ItemStatus, MessageItem, urlCitation } from './responses-message-item.ts';
import type { ResponseState } from './responses-object.ts';
import { ReasoningItem } from './responses-reasoning-item.ts';

/** Bounds memory: the last event repeats all output, and no model writes more. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Enough for two images of eight megapixels that hardly compress, in base64. */
const MAX_PICTURE_CHARACTERS = 64 * 1024 * 1024;

const REASONS: Readonly<Partial<Record<ChatEnd, ResponseState['reason']>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

export interface OutputOptions {
  events: EventWriter;
  names: Pick<ToolNames, 'tool'>;
  /** True if the caller asked for encrypted reasoning. */
  wantsEncrypted: boolean;
  meter: Pick<ChatMeter, 'deliverImage' | 'deliverText'>;
}

/** Converts output of a chat to items of a response. */
export class OutputItems implements PartWriter {
  // As at OpenAI: `arguments` is a text that callers parse themselves.
  readonly passesInvalidArguments = true;
  readonly #options: OutputOptions;
  readonly #parts = new OrderedChatParts(this, new ChatToolCalls('call'));
  readonly #reasoning = new ReasoningGatherer();
  readonly #callIds = new Set<string>();
  readonly #complete: string[] = [];
  #open: MessageItem | ReasoningItem | CallItem | undefined;
  #begun = 0;
  #characters = 0;
  #pictureCharacters = 0;
  /** Length of complete texts: annotations have positions in the whole output. */
  #textLength = 0;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  get complete(): readonly string[] {
    return this.#complete;
  }

  /** @param delta of a stream, or a whole message. @throws GatewayError 502 beyond the bounds */
  write(delta: JsonObject): void {
    this.#parts.write(delta);
  }

  /** Writes the last items. @throws GatewayError 502 for an incomplete response */
  end(finishReason: unknown): ResponseState {
    const end = chatEndOf(finishReason, this.#parts.hasCalls);
    this.#parts.end(end);
    const reason = REASONS[end];
    const status = reason === undefined ? 'completed' : 'incomplete';
    this.#close(status);
    return { status, output: this.#complete, ...(reason === undefined ? {} : { reason }) };
  }

  reasoning(written: JsonObject): void {
    const text = this.#reasoning.add(written);
    if (text !== '') {
      this.#deliver(text, true);
      this.#reasoningItem().text(text);
    } else if (this.#options.wantsEncrypted && !this.#reasoning.isEmpty) this.#reasoningItem();
  }

  /** Carries the data even if the caller did not ask: some providers refuse calls without it. */
  callExtra(id: string, extraContent: unknown): void {
    this.#reasoning.addCall(id, extraContent);
    if (!this.#reasoning.isEmpty) this.#reasoningItem();
  }

  text(text: string): void {
    this.#deliver(text);
    this.#messageItem().text(text);
  }

  refusal(text: string): void {
    this.#deliver(text);
    this.#messageItem().refusal(text);
  }

  /** Adds a picture. A URL that is not a data URL becomes a Markdown text. */
  picture(url: string): void {
    const drawn = responsesImage(url);
    if (drawn === undefined) {
      this.text(`![image](${url})`);
      return;
    }
    this.#pictureCharacters += url.length;
    if (this.#pictureCharacters > MAX_PICTURE_CHARACTERS) throw tooMuch();
    this.#options.meter.deliverImage();
    this.#close();
    this.#complete.push(writeImageItem(this.#options.events, this.#begun++, drawn));
  }

  annotations(annotations: readonly unknown[]): void {
    if (!(this.#open instanceof MessageItem)) return;
    for (const annotation of annotations) {
      const citation = urlCitation(annotation, this.#textLength);
      if (citation === undefined) continue;
      this.#claim(JSON.stringify(citation).length);
      this.#open.annotate(citation);
    }
  }

  startCall(call: ChatToolCall): void {
    this.#close();
    const { name } = call;
    this.#deliver(name);
    const tool = this.#options.names.tool(name) ?? { isCustom: false, name, namespace: undefined };
    const called = { callId: this.#freeId(call.knownId), tool };
    this.#open = callItem(this.#options.events, this.#begun++, called);
    this.args(call.args);
  }

  args(piece: string): void {
    this.#deliver(piece);
    if (isCall(this.#open)) this.#open.args(piece);
  }

  /** Ends a call. A cut call never becomes a done item: clients run tools as soon as an item is done. */
  endCall(_call: ChatToolCall, isCut: boolean): void {
    if (isCall(this.#open) && !isCut) this.#complete.push(this.#open.close());
    this.#open = undefined;
  }

  /** @param status of the open item */
  #close(status: ItemStatus = 'completed'): void {
    const open = this.#open;
    this.#open = undefined;
    if (open instanceof MessageItem) {
      this.#textLength += open.textLength;
      this.#complete.push(open.close(status));
    } else if (open instanceof ReasoningItem) this.#complete.push(open.close(this.#encrypted()));
  }

  #messageItem(): MessageItem {
    if (this.#open instanceof MessageItem) return this.#open;
    this.#close();
    const item = new MessageItem(this.#options.events, this.#begun++);
    this.#open = item;
    return item;
  }

  #reasoningItem(): ReasoningItem {
    if (this.#open instanceof ReasoningItem) return this.#open;
    this.#close();
    const item = new ReasoningItem(this.#options.events, this.#begun++);
    this.#open = item;
    return item;
  }

  #encrypted(): string | undefined {
    const reasoning = this.#reasoning.take();
    const isNeeded = this.#options.wantsEncrypted || reasoning.calls !== undefined;
    return isNeeded ? writeEncryptedContent(reasoning) : undefined;
  }

  /** Makes ids of calls unique, so that results in the next turn are unambiguous. */
  #freeId(id: string): string {
    const free = this.#callIds.has(id) ? newId('call') : id;
    this.#callIds.add(free);
    return free;
  }

  #deliver(text: string, isReasoning = false): void {
    this.#claim(text.length);
    this.#options.meter.deliverText(text, isReasoning);
  }

  #claim(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw tooMuch();
  }
}

function tooMuch(): Error {
  return causedByRequest('the provider wrote more than any model does');
}

function isCall(item: MessageItem | ReasoningItem | CallItem | undefined): item is CallItem {
  return item !== undefined && !(item instanceof MessageItem) && !(item instanceof ReasoningItem);
}
