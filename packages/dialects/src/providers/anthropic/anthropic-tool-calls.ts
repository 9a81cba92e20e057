import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { textAt } from '../../translation/field-values.ts';
import { readCallArguments } from '../shared/read-call-arguments.ts';

const ID = /^[\w-]+$/;

/** Converts tool calls. Anthropic requires unique plain ids, and each result in the next message. */
export class AnthropicToolCalls {
  readonly #reader: FieldReader;
  readonly #used = new Set<string>();
  /** Counts uses of an id: clients that number their calls start again in each turn. */
  readonly #times = new Map<string, number>();
  /** Calls without a result yet, by the caller's id. */
  readonly #waiting = new Map<string, { id: string; path: string }>();

  constructor(reader: FieldReader) {
    this.#reader = reader;
  }

  /** @param path of the call */
  blockOf(given: unknown, path: string): JsonObject {
    const call = this.#reader.members(given, path);
    if (call.type !== undefined && call.type !== 'function') {
      throw this.#reader.refusal(`${path}.type`, 'calls functions only');
    }
    const id = textAt(call.id, `${path}.id`);
    return this.#block(id, call.function, path, `${path}.function`);
  }

  /** Converts `function_call`, which has no id. */
  legacyBlockOf(given: unknown, path: string): JsonObject {
    return this.#block(LEGACY_ID, given, path, path);
  }

  /** @returns our id of the call */
  takeId(callId: unknown, path: string): string {
    const id = textAt(callId, path);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined)
      throw this.#reader.refusal(path, 'takes results only of calls right before them, one of each');
    this.#waiting.delete(id);
    return waiting.id;
  }

  takeLegacyId(path: string): string {
    return this.takeId(LEGACY_ID, path);
  }

  /** @throws GatewayError 400 that names a call without its result */
  requireResults(): void {
    for (const { path } of this.#waiting.values()) {
      throw this.#reader.refusal(path, 'takes calls of tools only with their results right after them');
    }
  }

  #block(callersId: string, given: unknown, path: string, functionPath: string): JsonObject {
    if (this.#waiting.has(callersId))
      throw this.#reader.refusal(path, 'takes calls of one turn only under different ids');
    const called = this.#reader.members(given, functionPath);
    const id = this.#ownId(callersId);
    this.#waiting.set(callersId, { id, path });
    return {
      type: 'tool_use',
      id,
      name: textAt(called.name, `${functionPath}.name`),
      input: readCallArguments(called.arguments, `${functionPath}.arguments`, this.#reader),
    };
  }

  #ownId(callersId: string): string {
    const plain = ID.test(callersId) ? callersId : `call_${callersId.replaceAll(/[^\w-]/g, '_')}`;
    let times = this.#times.get(plain) ?? 0;
    let id: string;
    do id = ++times === 1 ? plain : `${plain}_${times}`;
    while (this.#used.has(id));
    this.#times.set(plain, times);
    this.#used.add(id);
    return id;
  }
}

const LEGACY_ID = 'function';
