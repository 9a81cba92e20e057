import { newId } from '@model-gateway/shared';
import { causedByRequest } from '../../failures/provider-failures.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { GeminiPartialArgs } from './gemini-partial-args.ts';
import { callExtraOf, signedThought, textSignature } from './gemini-reasoning.ts';

/** A call whose arguments come in pieces. */
interface OpenCall {
  name: string;
  id: unknown;
  signature: string | undefined;
  partial: GeminiPartialArgs;
}

/** More than any model writes in one answer: a provider must not fill the memory. */
const MAX_CALLS = 1_024;

/**
 * Reads the parts of one answer, one after the other: each becomes members of a message, or of a delta, of
 * Chat Completions. Parts of Google's own tools are passed over: no caller can ask for these.
 */
export class GeminiPartReader {
  #open: OpenCall | undefined;
  #calls = 0;
  #details = 0;

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /**
   * @returns what the part adds, in deltas: `content`, `reasoning_content`, `reasoning_details`, `images`,
   *   `tool_calls`
   * @throws GatewayError 502 for what is no part
   */
  read(part: JsonObject): JsonObject[] {
    const { functionCall, inlineData, text, thought, thoughtSignature } = part;
    const signature =
      typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : undefined;
    if (isObject(functionCall)) return this.#call(functionCall, signature);
    if (typeof text === 'string') return [...this.close(), ...this.#text(text, thought === true, signature)];
    const drawn = isObject(inlineData) && thought !== true ? pictureOf(inlineData) : [];
    // A signature must come back, whatever it stands at.
    return [...this.close(), ...drawn, ...this.#signed(signature)];
  }

  /** Ends a call whose last piece did not say that it was the last. */
  close(): JsonObject[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    return [this.#told(open.name, open.partial.args, open.id, open.signature)];
  }

  #text(text: string, isThought: boolean, signature: string | undefined): JsonObject[] {
    if (!isThought) return [...(text === '' ? [] : [{ content: text }]), ...this.#signed(signature)];
    const told = text === '' ? {} : { reasoning_content: text };
    if (signature === undefined) return text === '' ? [] : [told];
    return [{ ...told, reasoning_details: [signedThought(text, signature, this.#details++)] }];
  }

  #signed(signature: string | undefined): JsonObject[] {
    if (signature === undefined) return [];
    return [{ reasoning_details: [textSignature(signature, this.#details++)] }];
  }

  #call(call: JsonObject, signature: string | undefined): JsonObject[] {
    const { args, id, name, partialArgs, willContinue } = call;
    const isNew = typeof name === 'string' && name !== '';
    if (!isNew && this.#open === undefined) throw causedByRequest('a call of the provider has no name');
    const ended = isNew ? this.close() : [];
    if (isNew && partialArgs === undefined && willContinue !== true) {
      return [...ended, this.#told(name, args ?? {}, id, signature)];
    }
    if (isNew) this.#open = { name, id, signature, partial: new GeminiPartialArgs() };
    this.#open?.partial.add(partialArgs);
    return willContinue === true ? ended : [...ended, ...this.close()];
  }

  #told(name: string, args: unknown, id: unknown, signature: string | undefined): JsonObject {
    if (!isObject(args)) throw causedByRequest('the arguments of a call are no object');
    const index = this.#calls++;
    if (index === MAX_CALLS) throw causedByRequest('the provider sent too many tool calls');
    const ownId = typeof id === 'string' && id !== '' ? id : undefined;
    const call = {
      index,
      id: ownId ?? newId('call'),
      type: 'function',
      function: { name, arguments: writeExactJson(args) },
      ...callExtraOf({
        ...(signature === undefined ? {} : { thought_signature: signature }),
        ...(ownId === undefined ? {} : { id: ownId }),
      }),
    };
    return { tool_calls: [call] };
  }
}

/** In the form in which Chat Completions has pictures of a model (docs/wire-format.md). */
function pictureOf({ data, mimeType }: JsonObject): JsonObject[] {
  if (typeof data !== 'string' || typeof mimeType !== 'string' || !mimeType.startsWith('image/')) return [];
  return [{ images: [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }] }];
}
