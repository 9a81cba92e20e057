import { causedByRequest } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { brokenCall, type ChatEnd, mayCutCalls } from './chat-end.ts';
import type { ChatToolCall, ChatToolCalls } from './chat-tool-calls.ts';
import { type CallDelta, type ChatDeltaSink, readChatDelta } from './read-chat-delta.ts';

/** More than any model writes in one answer beside the call that is being told. */
const MAX_HELD_CHARACTERS = 4 * 1024 * 1024;

/** Tells the parts of an answer. One call is told at a time, and nothing else between its pieces. */
export interface PartTeller extends Omit<ChatDeltaSink, 'call'> {
  /** With what has come of it by now. */
  startCall(call: ChatToolCall): void;
  /** More of the arguments of the call that has started. */
  args(piece: string): void;
  /** @param isCut true if the answer ended in the middle of its arguments */
  endCall(call: ChatToolCall, isCut: boolean): void;
  /** Returns true if the arguments of a call may be any text. Those of all others are a JSON object. */
  takesText(name: string): boolean;
}

/**
 * Puts the parts of an answer in turn. Chat Completions may send the pieces of several calls by turns, and
 * other APIs tell one thing after the other: one call is told as it comes, and what comes between its pieces
 * is held until it is complete, or until the end.
 */
export class OrderedChatParts implements ChatDeltaSink {
  readonly #teller: PartTeller;
  readonly #calls: ChatToolCalls;
  #current: ChatToolCall | undefined;
  #held: (() => void)[] = [];
  #heldCharacters = 0;

  constructor(teller: PartTeller, calls: ChatToolCalls) {
    this.#teller = teller;
    this.#calls = calls;
  }

  get hasCalls(): boolean {
    return this.#calls.all.length > 0;
  }

  /**
   * Tells what a `delta` or a `message` has, as far as it is its turn.
   * @throws GatewayError 502 for what no answer has
   */
  write(written: JsonObject): void {
    readChatDelta(written, this);
  }

  /**
   * Ends the call that is open, and tells all that was held. A call whose arguments were cut off before it
   * was told is left out: nobody must take it for one that the model has made.
   * @throws GatewayError 502 when the arguments of a call that is complete are no JSON object
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
    for (const tell of held) tell();
  }

  reasoning(written: JsonObject): void {
    if (this.#isFree()) this.#teller.reasoning(written);
    else this.#hold(JSON.stringify(written).length, () => this.#teller.reasoning(written));
  }

  text(text: string): void {
    if (this.#isFree()) this.#teller.text(text);
    else this.#hold(text.length, () => this.#teller.text(text));
  }

  refusal(text: string): void {
    if (this.#isFree()) this.#teller.refusal(text);
    else this.#hold(text.length, () => this.#teller.refusal(text));
  }

  picture(url: string): void {
    if (this.#isFree()) this.#teller.picture(url);
    else this.#hold(url.length, () => this.#teller.picture(url));
  }

  annotations(annotations: readonly unknown[]): void {
    if (this.#isFree()) this.#teller.annotations(annotations);
    else this.#hold(JSON.stringify(annotations).length, () => this.#teller.annotations(annotations));
  }

  callExtra(id: string, extraContent: unknown): void {
    if (this.#isFree()) this.#teller.callExtra(id, extraContent);
    else this.#hold(JSON.stringify(extraContent).length, () => this.#teller.callExtra(id, extraContent));
  }

  call(delta: CallDelta): void {
    const call = this.#calls.add(delta);
    if (call.state === 'open') {
      this.#teller.args(delta.args);
      return;
    }
    if (call.state === 'closed') {
      if (delta.args.trim() !== '') throw brokenCall();
      return;
    }
    if (call.name !== '' && this.#isFree() && this.#isNext(call)) this.#startCall(call);
    else this.#hold(delta.args.length);
  }

  /** Returns true if all other calls are told. */
  #isNext(call: ChatToolCall): boolean {
    return this.#calls.all.every((other) => other === call || other.state === 'closed');
  }

  #startCall(call: ChatToolCall): void {
    call.state = 'open';
    this.#current = call;
    this.#teller.startCall(call);
  }

  #endCall(call: ChatToolCall, end: ChatEnd): void {
    const isWhole = this.#isWhole(call, end);
    if (!isWhole && !mayCutCalls(end)) throw brokenCall();
    call.state = 'closed';
    if (this.#current === call) this.#current = undefined;
    this.#teller.endCall(call, !isWhole);
  }

  #isWhole(call: ChatToolCall, end: ChatEnd): boolean {
    if (mayCutCalls(end)) return call.args !== '' && call.input() !== undefined;
    return call.input() !== undefined || this.#teller.takesText(call.name);
  }

  /** Returns true if no call is open. One that is complete is over: what follows may be told. */
  #isFree(): boolean {
    if (this.#current === undefined) return true;
    if (this.#held.length > 0 || !this.#current.isComplete) return false;
    this.#endCall(this.#current, 'stop');
    return true;
  }

  /** A part of a message or of its reasoning cannot go on once a call has begun: it waits for its turn. */
  #hold(characters: number, tell?: () => void): void {
    this.#heldCharacters += characters + 1;
    if (this.#heldCharacters > MAX_HELD_CHARACTERS)
      throw causedByRequest('the provider sent too much between the pieces of a tool call');
    if (tell !== undefined) this.#held.push(tell);
  }
}
