import type { JsonObject } from '../../json/json-object.ts';
import { brokenCall, type ChatEnd, mayCutCalls } from '../chat-output/chat-end.ts';
import { ChatToolCalls } from '../chat-output/chat-tool-calls.ts';
import { type CallDelta, type ChatDeltaSink, readChatDelta } from '../chat-output/read-chat-delta.ts';
import { writeImageMarkdown } from './image-markdown.ts';
import { carryReasoning } from './messages-carried-reasoning.ts';
import { readChatReasoning, type ThinkingSink } from './read-chat-reasoning.ts';

interface Thinking {
  type: 'thinking';
  thinking: string;
  signature: string;
}

export class MessagesBlocks implements ChatDeltaSink, ThinkingSink {
  readonly #blocks: (JsonObject | Thinking)[] = [];
  readonly #callersName: (name: string) => string;
  readonly #calls = new ChatToolCalls('toolu');
  #thinking: Thinking | undefined;
  #isSigned = false;

  /** @param callersName returns the caller's name of a tool */
  constructor(message: JsonObject, callersName: (name: string) => string) {
    this.#callersName = callersName;
    readChatDelta(message, this);
  }

  get hasCalls(): boolean {
    return this.#calls.all.length > 0;
  }

  /**
   * Drops calls with incomplete arguments, so that no caller runs them. Wraps arguments that are no JSON
   * object, for the caller to report to the model. Source: Anthropic, "Fine-grained tool streaming".
   * @throws GatewayError 502 for a call without a name
   */
  content(end: ChatEnd): object[] {
    const calls = this.#calls.all.flatMap((call) => {
      const parsed = call.input();
      if (mayCutCalls(end) && (call.name === '' || parsed === undefined || call.args === '')) return [];
      if (call.name === '') throw brokenCall();
      const input = parsed ?? { INVALID_JSON: call.args };
      return [{ type: 'tool_use', id: call.knownId, name: this.#callersName(call.name), input }];
    });
    return [...this.#blocks, ...calls];
  }

  reasoning(written: JsonObject): void {
    readChatReasoning(written, this);
  }

  thinking(text: string, unsigned: string): void {
    this.#openThinking(unsigned).thinking += text;
  }

  signature(signature: string): void {
    this.#openThinking('').signature = signature;
    this.#isSigned = true;
  }

  redacted(data: string): void {
    this.#thinking = undefined;
    this.#blocks.push({ type: 'redacted_thinking', data });
  }

  text(text: string): void {
    this.#thinking = undefined;
    this.#blocks.push({ type: 'text', text });
  }

  refusal(text: string): void {
    this.text(text);
  }

  picture(url: string): void {
    this.text(writeImageMarkdown(url));
  }

  annotations(): void {
    // As in a stream.
  }

  callExtra(id: string, extraContent: unknown): void {
    this.redacted(carryReasoning({ call: { id, extra_content: extraContent } }));
  }

  call(delta: CallDelta): void {
    this.#calls.add(delta);
  }

  /** A signature ends a block. */
  #openThinking(signature: string): Thinking {
    if (this.#thinking !== undefined && !this.#isSigned) return this.#thinking;
    const block: Thinking = { type: 'thinking', thinking: '', signature };
    this.#blocks.push(block);
    this.#thinking = block;
    this.#isSigned = false;
    return block;
  }
}
