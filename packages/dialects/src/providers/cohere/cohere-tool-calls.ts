import { isObject, type JsonObject } from '../../json/json-object.ts';
import { parseBoundedJson } from '../../json/parse-bounded-json.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { textAt } from '../../translation/field-values.ts';
import { readCohereArguments } from './read-cohere-arguments.ts';

/** Converts tool calls. Cohere requires unique ids in a turn, and results right after it. */
export class CohereToolCalls {
  readonly #reader: FieldReader;
  readonly #waiting = new Map<string, string>();

  constructor(reader: FieldReader) {
    this.#reader = reader;
  }

  /** @param path of the call */
  write(given: unknown, path: string): JsonObject {
    const { function: called, id: givenId, type } = this.#reader.members(given, path);
    if (type !== undefined && type !== 'function')
      throw this.#reader.refusal(`${path}.type`, 'calls functions only');
    const id = textAt(givenId, `${path}.id`);
    if (id === '') throw this.#reader.refusal(`${path}.id`, 'takes no calls without an id');
    if (this.#waiting.has(id))
      throw this.#reader.refusal(path, 'takes calls of one turn only under different ids');
    this.#waiting.set(id, path);
    const { arguments: input, name } = this.#reader.members(called, `${path}.function`);
    return {
      id,
      type: 'function',
      function: {
        name: textAt(name, `${path}.function.name`),
        arguments: this.#arguments(input, `${path}.function.arguments`),
      },
    };
  }

  takeId(given: unknown, path: string): string {
    const id = textAt(given, path);
    if (!this.#waiting.delete(id))
      throw this.#reader.refusal(path, 'takes results only of calls right before them, one of each');
    return id;
  }

  /** @throws GatewayError 400 that names a call without its result */
  requireResults(): void {
    for (const path of this.#waiting.values()) {
      throw this.#reader.refusal(path, 'takes calls of tools only with their results right after them');
    }
  }

  #arguments(given: unknown, path: string): string {
    const written = readCohereArguments(given === undefined ? '' : textAt(given, path));
    if (isObject(parseBoundedJson(written))) return written;
    throw this.#reader.refusal(path, 'takes arguments that are a JSON object');
  }
}
