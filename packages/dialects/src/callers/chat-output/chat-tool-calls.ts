import { type IdPrefix, newId } from '@model-gateway/shared';
import { causedByRequest } from '../../failures/provider-failures.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { CallDelta } from './read-chat-delta.ts';

/** Bounds memory: no model writes more. */
const MAX_CALLS = 1_024;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Parsing longer arguments after each event would block the event loop. */
const LONG = 64 * 1024;

export class ChatToolCall {
  id: string;
  name: string;
  args = '';
  state: 'waiting' | 'open' | 'closed' = 'waiting';
  /** Length of the arguments at the last check. */
  #triedLength = -1;
  readonly #idPrefix: IdPrefix;

  constructor({ id, name }: CallDelta, idPrefix: IdPrefix) {
    this.id = id;
    this.name = name;
    this.#idPrefix = idPrefix;
  }

  /** Parses the arguments; undefined: invalid or incomplete. An empty text means no arguments. */
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

  /** Checks whether the arguments are complete: after each new piece, or each doubling if they are long. */
  get isComplete(): boolean {
    const { length } = this.args;
    if (length === this.#triedLength || (length > LONG && length < 2 * this.#triedLength)) return false;
    if (!this.args.trimEnd().endsWith('}')) return false;
    this.#triedLength = length;
    return this.input() !== undefined;
  }

  /** Creates an id if the provider sent none. */
  get knownId(): string {
    if (this.id === '') this.id = newId(this.#idPrefix);
    return this.id;
  }
}

/** Tool calls in order of their start. */
export class ChatToolCalls {
  readonly all: ChatToolCall[] = [];
  readonly #byIndex = new Map<number, ChatToolCall>();
  readonly #idPrefix: IdPrefix;
  #characters = 0;

  /** @param idPrefix for calls without an id */
  constructor(idPrefix: IdPrefix) {
    this.#idPrefix = idPrefix;
  }

  /** Adds a delta to its call. @throws GatewayError 502 beyond the bounds */
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

  /** Some servers send no index, or the same for all calls. A new call has its own name and id. */
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
