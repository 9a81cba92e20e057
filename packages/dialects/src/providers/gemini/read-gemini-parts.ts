import { newId } from '@model-gateway/shared';
import { causedByRequest } from '../../failures/provider-failures.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { GeminiPartialArgs } from './gemini-partial-args.ts';
import { callExtraOf, signedThought, textSignature } from './gemini-reasoning.ts';

interface OpenCall {
  name: string;
  id: unknown;
  signature: string | undefined;
  partial: GeminiPartialArgs;
}

/** Bounds memory: no model makes more calls. */
const MAX_CALLS = 1_024;

/** Converts parts to deltas of Chat Completions. Skips Google's server tools: no caller can request them. */
export class GeminiPartReader {
  #open: OpenCall | undefined;
  #calls = 0;
  #details = 0;

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** @throws GatewayError 502 for an invalid call */
  read(part: JsonObject): JsonObject[] {
    const { functionCall, inlineData, text, thought, thoughtSignature } = part;
    const signature =
      typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : undefined;
    if (isObject(functionCall)) return this.#call(functionCall, signature);
    if (typeof text === 'string') return [...this.close(), ...this.#text(text, thought === true, signature)];
    const drawn = isObject(inlineData) && thought !== true ? pictureOf(inlineData) : [];
    // Google needs every signature back, also of other parts.
    return [...this.close(), ...drawn, ...this.#signed(signature)];
  }

  /** Ends a call that is still open. */
  close(): JsonObject[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    return [this.#callDelta(open.name, open.partial.args, open.id, open.signature)];
  }

  #text(text: string, isThought: boolean, signature: string | undefined): JsonObject[] {
    if (!isThought) return [...(text === '' ? [] : [{ content: text }]), ...this.#signed(signature)];
    const reasoning = text === '' ? {} : { reasoning_content: text };
    if (signature === undefined) return text === '' ? [] : [reasoning];
    return [{ ...reasoning, reasoning_details: [signedThought(text, signature, this.#details++)] }];
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
      return [...ended, this.#callDelta(name, args ?? {}, id, signature)];
    }
    if (isNew) this.#open = { name, id, signature, partial: new GeminiPartialArgs() };
    this.#open?.partial.add(partialArgs);
    return willContinue === true ? ended : [...ended, ...this.close()];
  }

  #callDelta(name: string, args: unknown, id: unknown, signature: string | undefined): JsonObject {
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

/** Converts an image to the form of docs/wire-format.md. */
function pictureOf({ data, mimeType }: JsonObject): JsonObject[] {
  if (typeof data !== 'string' || typeof mimeType !== 'string' || !mimeType.startsWith('image/')) return [];
  return [{ images: [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }] }];
}
