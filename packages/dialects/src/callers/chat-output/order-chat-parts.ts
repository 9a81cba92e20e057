import { causedByRequest } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { brokenCall, type ChatEnd, mayCutCalls } from './chat-end.ts';
import type { ChatToolCall, ChatToolCalls } from './chat-tool-calls.ts';
import { type CallDelta, type ChatDeltaSink, readChatDelta } from './read-chat-delta.ts';

/** Bounds memory: no model writes more beside an open call. */
const MAX_HELD_CHARACTERS = 4 * 1024 * 1024;

/** Writes parts of a response in order. Nothing comes between the pieces of a call. */
export interface PartWriter extends Omit<ChatDeltaSink, 'call'> {
  /** `call` may have some arguments already. */
  startCall(call: ChatToolCall): void;
  args(piece: string): void;
  /** @param isCut true if the arguments are incomplete */
  endCall(call: ChatToolCall, isCut: boolean): void;
  /** Arguments that are not a JSON object reach the caller as text. Otherwise such a call is an error. */
  readonly passesInvalidArguments: boolean;
}

/**
 * Orders parts for APIs that send one after the other: Chat Completions may interleave calls. Passes one call
 * as it arrives, and holds everything else until that call is complete.
 */
export class OrderedChatParts implements ChatDeltaSink {
  readonly #writer: PartWriter;
  readonly #calls: ChatToolCalls;
  #current: ChatToolCall | undefined;
  #held: (() => void)[] = [];
  #heldCharacters = 0;

  constructor(writer: PartWriter, calls: ChatToolCalls) {
    this.#writer = writer;
    this.#calls = calls;
  }

  get hasCalls(): boolean {
    return this.#calls.all.length > 0;
  }

  /** @param written a `delta` or a `message`. @throws GatewayError 502 beyond the bounds */
  write(written: JsonObject): void {
    readChatDelta(written, this);
  }

  /**
   * Ends the open call and writes everything that was held. Drops held calls with incomplete arguments, so
   * that no caller runs them. @throws GatewayError 502 for a complete call with invalid arguments
   */
  end(end: ChatEnd): void {
    if (this.#current !== undefined) this.#endCall(this.#current, end);
    for (const call of this.#calls.all) {
      if (call.state !== 'waiting') continue;
      const isWhole = call.name !== '' && this.#isWhole(call, end);
      if (!isWhole && !mayCutCalls(end)) throw brokenCall();
      if (!isWhole) continue;
      this.#startCall(call);
      this.#endCall(call, end);
    }
    const held = this.#held;
    this.#held = [];
    for (const write of held) write();
  }

  reasoning(written: JsonObject): void {
    if (this.#isFree()) this.#writer.reasoning(written);
    else this.#hold(JSON.stringify(written).length, () => this.#writer.reasoning(written));
  }

  text(text: string): void {
    if (this.#isFree()) this.#writer.text(text);
    else this.#hold(text.length, () => this.#writer.text(text));
  }

  refusal(text: string): void {
    if (this.#isFree()) this.#writer.refusal(text);
    else this.#hold(text.length, () => this.#writer.refusal(text));
  }

  picture(url: string): void {
    if (this.#isFree()) this.#writer.picture(url);
    else this.#hold(url.length, () => this.#writer.picture(url));
  }

  annotations(annotations: readonly unknown[]): void {
    if (this.#isFree()) this.#writer.annotations(annotations);
    else this.#hold(JSON.stringify(annotations).length, () => this.#writer.annotations(annotations));
  }

  callExtra(id: string, extraContent: unknown): void {
    if (this.#isFree()) this.#writer.callExtra(id, extraContent);
    else this.#hold(JSON.stringify(extraContent).length, () => this.#writer.callExtra(id, extraContent));
  }

  call(delta: CallDelta): void {
    const call = this.#calls.add(delta);
    if (call.state === 'open') {
      this.#writer.args(delta.args);
      return;
    }
    if (call.state === 'closed') {
      if (delta.args.trim() !== '') throw brokenCall();
      return;
    }
    if (call.name !== '' && this.#isFree() && this.#isNext(call)) this.#startCall(call);
    else this.#hold(delta.args.length);
  }

  /** Returns true if all other calls are closed. */
  #isNext(call: ChatToolCall): boolean {
    return this.#calls.all.every((other) => other === call || other.state === 'closed');
  }

  #startCall(call: ChatToolCall): void {
    call.state = 'open';
    this.#current = call;
    this.#writer.startCall(call);
  }

  #endCall(call: ChatToolCall, end: ChatEnd): void {
    const isWhole = this.#isWhole(call, end);
    if (!isWhole && !mayCutCalls(end)) throw brokenCall();
    call.state = 'closed';
    if (this.#current === call) this.#current = undefined;
    this.#writer.endCall(call, !isWhole);
  }

  #isWhole(call: ChatToolCall, end: ChatEnd): boolean {
    if (mayCutCalls(end)) return call.args !== '' && call.input() !== undefined;
    return call.input() !== undefined || this.#writer.passesInvalidArguments;
  }

  /** Returns true if no call is open. Closes a call with complete arguments. */
  #isFree(): boolean {
    if (this.#current === undefined) return true;
    if (this.#held.length > 0 || !this.#current.isComplete) return false;
    this.#endCall(this.#current, 'stop');
    return true;
  }

  #hold(characters: number, write?: () => void): void {
    this.#heldCharacters += characters + 1;
    if (this.#heldCharacters > MAX_HELD_CHARACTERS)
      throw causedByRequest('the provider sent too much between the pieces of a tool call');
    if (write !== undefined) this.#held.push(write);
  }
}
