import { type IdPrefix, newId } from '@model-gateway/shared';
import { causedByRequest } from '../../failures/provider-failures.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { CallDelta } from './read-chat-delta.ts';

/** More than any model writes in one answer: a provider must not fill the memory. */
const MAX_CALLS = 1_024;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** To parse such arguments once more with every event would hold up the event loop. */
const LONG = 64 * 1024;

/** A tool call of an answer, as far as it has come. */
export class ChatToolCall {
  id: string;
  name: string;
  args = '';
  state: 'waiting' | 'open' | 'closed' = 'waiting';
  /** The length of the arguments when they were last seen to be incomplete. */
  #triedLength = -1;
  readonly #idPrefix: IdPrefix;

  constructor({ id, name }: CallDelta, idPrefix: IdPrefix) {
    this.id = id;
    this.name = name;
    this.#idPrefix = idPrefix;
  }

  /** The arguments as a value; undefined: they are none, or not all of them. An empty text has none. */
  input(): JsonObject | undefined {
    const text = this.args.trim();
    if (text === '' || text === 'null') return {};
    try {
      const value = parseExactJson(text);
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Returns true if nothing more can come of its arguments, as far as it is worth to know before the end. Not
   * looked at again before more has come; of long ones, before they are twice as long.
   */
  get isComplete(): boolean {
    const { length } = this.args;
    if (length === this.#triedLength || (length > LONG && length < 2 * this.#triedLength)) return false;
    if (!this.args.trimEnd().endsWith('}')) return false;
    this.#triedLength = length;
    return this.input() !== undefined;
  }

  /** @returns the id; one of ours where the provider sent none */
  get knownId(): string {
    if (this.id === '') this.id = newId(this.#idPrefix);
    return this.id;
  }
}

/** The calls of an answer in the order in which they began. */
export class ChatToolCalls {
  readonly all: ChatToolCall[] = [];
  readonly #byIndex = new Map<number, ChatToolCall>();
  readonly #idPrefix: IdPrefix;
  #characters = 0;

  /** @param idPrefix of the ids of calls that came without one */
  constructor(idPrefix: IdPrefix) {
    this.#idPrefix = idPrefix;
  }

  /** The call that a delta belongs to, with what it adds. @throws GatewayError 502 when it is too much */
  add(delta: CallDelta): ChatToolCall {
    this.#characters += delta.args.length;
    if (this.all.length > MAX_CALLS || this.#characters > MAX_CHARACTERS)
      throw causedByRequest('the provider sent too many tool calls');
    const known = this.#known(delta);
    const call = known ?? this.#begin(delta);
    if (call.id === '') call.id = delta.id;
    if (call.name === '') call.name = delta.name;
    call.args += delta.args;
    return call;
  }

  /**
   * Some servers number no calls, and some give all of them one number; a new one has its own name and id.
   */
  #known({ id, index, name }: CallDelta): ChatToolCall | undefined {
    const call = index === undefined ? this.all.at(-1) : this.#byIndex.get(index);
    if (call === undefined) return undefined;
    const isAnother = id !== '' && name !== '' && call.id !== '' && call.id !== id;
    return isAnother ? undefined : call;
  }

  #begin(delta: CallDelta): ChatToolCall {
    const call = new ChatToolCall(delta, this.#idPrefix);
    this.all.push(call);
    if (delta.index !== undefined) this.#byIndex.set(delta.index, call);
    return call;
  }
}
