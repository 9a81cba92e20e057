import type { JsonObject } from '../../json/json-object.ts';
import type { ChatMeter } from '../../usage/chat-meter.ts';
import type { ChatEnd } from '../chat-output/chat-end.ts';
import { type ChatToolCall, ChatToolCalls } from '../chat-output/chat-tool-calls.ts';
import { OrderedChatParts, type PartWriter } from '../chat-output/order-chat-parts.ts';
import { writeImageMarkdown } from './image-markdown.ts';
import { carryReasoning } from './messages-carried-reasoning.ts';
import { readChatReasoning, type ThinkingSink } from './read-chat-reasoning.ts';

/** Converts deltas to events of content blocks. Closes each block before the next one opens. */
export class ChatStreamToMessages implements PartWriter, ThinkingSink {
  // Anthropic's SDK parses the valid part of a broken input, and a caller would run it.
  readonly passesInvalidArguments = false;
  readonly #callersName: (name: string) => string;
  readonly #meter: Pick<ChatMeter, 'deliverImage' | 'deliverText'>;
  readonly #parts = new OrderedChatParts(this, new ChatToolCalls('toolu'));
  #open: 'text' | 'thinking' | 'tool_use' | undefined;
  #count = 0;
  #events = '';
  #signature = '';

  /** @param callersName returns the caller's name of a tool */
  constructor(meter: Pick<ChatMeter, 'deliverImage' | 'deliverText'>, callersName: (name: string) => string) {
    this.#meter = meter;
    this.#callersName = callersName;
  }

  get hasCalls(): boolean {
    return this.#parts.hasCalls;
  }

  write(delta: JsonObject): string {
    this.#parts.write(delta);
    return this.#takeEvents();
  }

  end(end: ChatEnd): string {
    this.#parts.end(end);
    this.#close();
    return this.#takeEvents();
  }

  reasoning(written: JsonObject): void {
    readChatReasoning(written, this);
  }

  thinking(text: string, unsigned: string): void {
    this.#meter.deliverText(text, true);
    if (this.#open !== 'thinking') this.#startThinking(unsigned);
    this.#delta(`{"type":"thinking_delta","thinking":${JSON.stringify(text)}}`);
  }

  /** Ends the open block of thinking, or writes one without text. */
  signature(signature: string): void {
    if (this.#open !== 'thinking') this.#startThinking('');
    this.#signature = signature;
    this.#close();
  }

  redacted(data: string): void {
    this.#close();
    const block = `{"type":"redacted_thinking","data":${JSON.stringify(data)}}`;
    this.#event('content_block_start', `"index":${this.#count},"content_block":${block}`);
    this.#stop();
  }

  text(text: string): void {
    this.#meter.deliverText(text);
    this.#writeText(text);
  }

  refusal(text: string): void {
    this.text(text);
  }

  /** Writes an image as its own block. */
  picture(url: string): void {
    this.#meter.deliverImage();
    this.#close();
    this.#writeText(writeImageMarkdown(url));
    this.#close();
  }

  annotations(): void {
    // Citations of Messages need data that Chat Completions lacks.
  }

  callExtra(id: string, extraContent: unknown): void {
    this.redacted(carryReasoning({ call: { id, extra_content: extraContent } }));
  }

  startCall(call: ChatToolCall): void {
    this.#meter.deliverText(call.name);
    const name = this.#callersName(call.name);
    const members = `"id":${JSON.stringify(call.knownId)},"name":${JSON.stringify(name)},"input":{}`;
    this.#start('tool_use', `{"type":"tool_use",${members}}`);
    this.args(call.args);
  }

  args(piece: string): void {
    this.#meter.deliverText(piece);
    if (piece !== '') this.#delta(`{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}`);
  }

  endCall(): void {
    this.#close();
  }

  #takeEvents(): string {
    const events = this.#events;
    this.#events = '';
    return events;
  }

  #writeText(text: string): void {
    if (this.#open !== 'text') this.#start('text', '{"type":"text","text":""}');
    this.#delta(`{"type":"text_delta","text":${JSON.stringify(text)}}`);
  }

  #close(): void {
    if (this.#open === undefined) return;
    if (this.#signature !== '')
      this.#delta(`{"type":"signature_delta","signature":${JSON.stringify(this.#signature)}}`);
    this.#signature = '';
    this.#open = undefined;
    this.#stop();
  }

  /** @param members JSON, without the braces and the type */
  #event(type: string, members: string): void {
    this.#events += `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
  }

  #start(kind: 'text' | 'thinking' | 'tool_use', block: string): void {
    this.#close();
    this.#open = kind;
    this.#event('content_block_start', `"index":${this.#count},"content_block":${block}`);
  }

  #startThinking(unsigned: string): void {
    this.#start('thinking', '{"type":"thinking","thinking":"","signature":""}');
    this.#signature = unsigned;
  }

  #delta(delta: string): void {
    this.#event('content_block_delta', `"index":${this.#count},"delta":${delta}`);
  }

  #stop(): void {
    this.#event('content_block_stop', `"index":${this.#count}`);
    this.#count += 1;
  }
}
