import { badGateway } from '@model-gateway/shared/errors';
import type { ChatMeter } from '../../../chat/chat-meter.ts';
import type { JsonObject } from '../../../translation/json-object.ts';
import { BlockEvents } from './block-events.ts';
import { brokenCall, mayCutCalls, type StopReason } from './end.ts';
import { type CallDelta, readWritten, type WrittenSink } from './read-written.ts';
import { type ToolCall, ToolCalls } from './tool-call.ts';

/** More than any model writes in one answer beside the call that is being told. */
const MAX_HELD_CHARACTERS = 4 * 1024 * 1024;

/**
 * The blocks of an answer that comes in chunks. Chat Completions may send the pieces of several calls by
 * turns, and Messages tells one block after the other: one call is told as it comes, and what comes between
 * its pieces is held until it is complete, or until the end.
 */
export class MessageStream implements WrittenSink {
  readonly #meter: Pick<ChatMeter, 'deliverText'>;
  readonly #events = new BlockEvents();
  readonly #calls = new ToolCalls();
  #current: ToolCall | undefined;
  #held: (() => void)[] = [];
  #heldCharacters = 0;

  /** @param meter is told what goes out, when it goes out */
  constructor(meter: Pick<ChatMeter, 'deliverText'>) {
    this.#meter = meter;
  }

  get hasCalls(): boolean {
    return this.#calls.all.length > 0;
  }

  /**
   * @param delta of a choice
   * @returns the events for it
   * @throws GatewayError 502 for what no answer has
   */
  write(delta: JsonObject): string {
    readWritten(delta, this);
    return this.#events.take();
  }

  /**
   * @returns the events that close the last block, with all that was held
   * @throws GatewayError 502 when the arguments of a call that is complete are no JSON object
   */
  end(stopReason: StopReason): string {
    if (this.#current !== undefined) this.#closeCall(this.#current, stopReason);
    for (const call of this.#calls.all) {
      if (call.state !== 'waiting') continue;
      const isCut = mayCutCalls(stopReason) && call.args === '';
      const isWhole = call.name !== '' && call.input() !== undefined && !isCut;
      if (!isWhole && !mayCutCalls(stopReason)) throw brokenCall();
      if (!isWhole) continue;
      this.#openCall(call);
      this.#closeCall(call, stopReason);
    }
    const held = this.#held;
    this.#held = [];
    for (const tell of held) tell();
    this.#events.close();
    return this.#events.take();
  }

  thinking(text: string, unsigned: string): void {
    if (this.#isHeld(text.length, () => this.thinking(text, unsigned))) return;
    this.#meter.deliverText(text);
    this.#events.thinking(text, unsigned);
  }

  signature(signature: string): void {
    if (this.#isHeld(signature.length, () => this.signature(signature))) return;
    this.#events.signature(signature);
  }

  redacted(data: string): void {
    if (this.#isHeld(data.length, () => this.redacted(data))) return;
    this.#events.redacted(data);
  }

  text(text: string): void {
    if (this.#isHeld(text.length, () => this.text(text))) return;
    this.#meter.deliverText(text);
    this.#events.text(text);
  }

  call(delta: CallDelta): void {
    const call = this.#calls.add(delta);
    if (call.state === 'open') {
      this.#meter.deliverText(delta.args);
      this.#events.args(delta.args);
      return;
    }
    if (call.state === 'closed') {
      if (delta.args.trim() !== '') throw brokenCall();
      return;
    }
    if (call.name !== '' && this.#isFree() && this.#isNext(call)) this.#openCall(call);
    else this.#hold(delta.args.length);
  }

  /** Whether all other calls are told. */
  #isNext(call: ToolCall): boolean {
    return this.#calls.all.every((other) => other === call || other.state === 'closed');
  }

  #openCall(call: ToolCall): void {
    call.state = 'open';
    this.#current = call;
    this.#meter.deliverText(call.name);
    this.#meter.deliverText(call.args);
    this.#events.startCall(call.knownId, call.name);
    this.#events.args(call.args);
  }

  #closeCall(call: ToolCall, stopReason: StopReason): void {
    if (!mayCutCalls(stopReason) && call.input() === undefined) throw brokenCall();
    call.state = 'closed';
    if (this.#current === call) this.#current = undefined;
    this.#events.close();
  }

  /** Whether no call is open. One that is complete is over: what follows may be told. */
  #isFree(): boolean {
    if (this.#current === undefined) return true;
    if (this.#held.length > 0 || !this.#current.isComplete) return false;
    this.#current.state = 'closed';
    this.#current = undefined;
    return true;
  }

  /** @returns whether it was held, as a block that is closed cannot go on */
  #isHeld(characters: number, tell: () => void): boolean {
    if (this.#isFree()) return false;
    this.#hold(characters);
    this.#held.push(tell);
    return true;
  }

  #hold(characters: number): void {
    this.#heldCharacters += characters + 1;
    if (this.#heldCharacters > MAX_HELD_CHARACTERS)
      throw badGateway(new Error('the provider sent too much between the pieces of a tool call'));
  }
}
