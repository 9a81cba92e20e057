import { type JsonObject, objectOr } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { textAt } from '../../translation/field-values.ts';
import { readCallArguments } from '../shared/read-call-arguments.ts';

interface WaitingCall {
  name: string;
  id: string | undefined;
  path: string;
  result: JsonObject | undefined;
}

/** Google's placeholder for a signature that is lost or another provider's. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Gemini matches results to calls by order: they must follow their turn in the order of its calls. */
export class GeminiToolCalls {
  readonly #reader: FieldReader;
  readonly #needsSignatures: boolean;
  /** By the caller's ids, in order. */
  #waiting = new Map<string, WaitingCall>();

  constructor(reader: FieldReader, needsSignatures: boolean) {
    this.#reader = reader;
    this.#needsSignatures = needsSignatures;
  }

  /** @param path of the call */
  partOf(given: unknown, path: string): JsonObject {
    const call = this.#reader.members(given, path);
    if (call.type !== undefined && call.type !== 'function') {
      throw this.#reader.refusal(`${path}.type`, 'calls functions only');
    }
    const callersId = textAt(call.id, `${path}.id`);
    return this.#part(callersId, call.function, path, `${path}.function`, this.#extraOf(call, path));
  }

  /** Converts `function_call`, which has no id. */
  legacyPartOf(given: unknown, path: string): JsonObject {
    return this.#part(LEGACY_ID, given, path, path, {});
  }

  /** @param path of the id @param response what the tool has returned */
  answer(callId: unknown, path: string, response: JsonObject): void {
    const waiting = this.#waiting.get(textAt(callId, path));
    if (waiting === undefined || waiting.result !== undefined)
      throw this.#reader.refusal(path, 'takes results only of calls right before them, one of each');
    const { id, name } = waiting;
    waiting.result = { functionResponse: { ...(id === undefined ? {} : { id }), name, response } };
  }

  legacyAnswer(path: string, response: JsonObject): void {
    this.answer(LEGACY_ID, path, response);
  }

  /** Ends the turn. @throws GatewayError 400 for a call without a result */
  takeResults(): JsonObject[] {
    const results = [...this.#waiting.values()].map(({ path, result }) => {
      if (result !== undefined) return result;
      throw this.#reader.refusal(path, 'takes calls of tools only with their results right after them');
    });
    this.#waiting = new Map();
    return results;
  }

  #part(
    callersId: string,
    given: unknown,
    path: string,
    functionPath: string,
    { id, signature }: { id?: string; signature?: string },
  ): JsonObject {
    if (this.#waiting.has(callersId))
      throw this.#reader.refusal(path, 'takes calls of one turn only under different ids');
    const called = this.#reader.members(given, functionPath);
    const name = textAt(called.name, `${functionPath}.name`);
    const isFirst = this.#waiting.size === 0;
    this.#waiting.set(callersId, { name, id, path, result: undefined });
    // Only the first call of a turn needs a signature.
    const sign = signature ?? (isFirst && this.#needsSignatures ? NO_SIGNATURE : undefined);
    return {
      functionCall: {
        ...(id === undefined ? {} : { id }),
        name,
        args: readCallArguments(called.arguments, `${functionPath}.arguments`, this.#reader),
      },
      ...(sign === undefined ? {} : { thoughtSignature: sign }),
    };
  }

  #extraOf({ extra_content }: JsonObject, path: string): { id?: string; signature?: string } {
    if (extra_content === undefined) return {};
    const { google } = this.#reader.members(extra_content, `${path}.extra_content`);
    const { id, thought_signature } = this.#reader.members(objectOr(google), `${path}.extra_content.google`);
    return {
      ...(id === undefined ? {} : { id: textAt(id, `${path}.extra_content.google.id`) }),
      ...(thought_signature === undefined
        ? {}
        : { signature: textAt(thought_signature, `${path}.extra_content.google.thought_signature`) }),
    };
  }
}

const LEGACY_ID = 'function';
