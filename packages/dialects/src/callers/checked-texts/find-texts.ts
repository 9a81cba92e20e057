import { isLargeNumber, parseExactJson, writeExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject, textOr } from '../../json/json-object.ts';
import { isCarriedState, readCarriedState, writeCarriedState } from '../carried-state.ts';
import type { PlaceKind, TextPlace, ToolCall } from './text-place.ts';

/**
 * Members whose strings are words of an API, ids or encrypted, in every API. All other strings count as text,
 * so that members unknown here are checked, too.
 */
const NOT_TEXT: ReadonlySet<string> = new Set([
  'api',
  'background',
  'call_id',
  'container_id',
  'detail',
  'encrypted_content',
  'encrypted_index',
  'file_id',
  'finish_reason',
  'format',
  'id',
  'item_id',
  'media_type',
  'mime_type',
  'model',
  'native_finish_reason',
  'obfuscation',
  'object',
  'output_format',
  'phase',
  'previous_response_id',
  'provider',
  'quality',
  'response_id',
  'role',
  'service_tier',
  'signature',
  'size',
  'status',
  'stop_reason',
  'system_fingerprint',
  'thought_signature',
  'tool_call_id',
  'tool_use_id',
  'type',
]);
/** Members of a Responses object that repeat the request. */
const ECHOED: ReadonlySet<string> = new Set([
  'billing',
  'instructions',
  'metadata',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'text',
  'tool_choice',
  'tools',
  'truncation',
  'user',
]);
const RESPONSE_OBJECTS: ReadonlySet<unknown> = new Set(['response', 'response.compaction']);
/** Types of blocks whose `data` is encrypted. */
const ENCRYPTED: ReadonlySet<unknown> = new Set(['redacted_thinking', 'reasoning.encrypted']);
const IMAGES: ReadonlySet<string> = new Set(['b64_json', 'image_url', 'partial_image_b64']);
const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);
const AUDIO_EVENT = 'response.audio.delta';

export interface FindOptions {
  /** Returns the channel of a piece; undefined: the string is a whole text. @param path names and indexes */
  channelOf?: ((path: readonly (string | number)[]) => string | undefined) | undefined;
  /** True for requests, whose files and recordings are not checked. */
  isRequest?: boolean;
}

/** Finds all texts inside a value. Removes log probabilities, which spell out text and its alternatives. */
export function findTexts(value: unknown, options: FindOptions = {}): TextPlace[] {
  const finder = new TextFinder(options);
  finder.visit(value, []);
  return finder.places;
}

class TextFinder {
  readonly places: TextPlace[] = [];
  readonly #options: FindOptions;

  constructor(options: FindOptions) {
    this.#options = options;
  }

  /** @param parent the object around the value */
  visit(value: unknown, path: readonly (string | number)[], parent: JsonObject = {}): void {
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        const at = [...path, index];
        if (typeof entry === 'string') this.#add('text', entry, at, (text) => setMember(value, index, text));
        else this.visit(entry, at, parent);
      }
      this.#addJoined(value, path);
    } else if (isObject(value)) this.#visitObject(value, path, parent);
  }

  #visitObject(object: JsonObject, path: readonly (string | number)[], parent: JsonObject): void {
    const isResponse = RESPONSE_OBJECTS.has(object.object);
    for (const [name, value] of Object.entries(object)) {
      if (isResponse && ECHOED.has(name)) continue;
      if (name === 'logprobs') {
        setMember(object, name, Array.isArray(value) ? [] : null);
        continue;
      }
      const at = [...path, name];
      if (typeof value === 'string') this.#addMember(object, name, value, at, parent);
      else if (name === 'input' && isObject(value) && typeof object.name === 'string')
        this.#addInput(object, value, at);
      else this.visit(value, at, object);
    }
  }

  #addMember(
    object: JsonObject,
    name: string,
    text: string,
    at: readonly (string | number)[],
    parent: JsonObject,
  ): void {
    const put = (replaced: string) => setMember(object, name, replaced);
    if (isCarriedState(text)) {
      this.#addCarried(text, at, put);
      return;
    }
    if (NOT_TEXT.has(name) || (name === 'data' && ENCRYPTED.has(object.type))) return;
    // The caller's own tools have these names. Guardrails see them with the calls.
    if (name === 'name' && isCall(object)) return;
    const kind = this.#kindOf(object, name, at);
    if (kind === undefined) return;
    this.#add(kind, text, at, put, kind === 'arguments' ? callOf(object, parent) : undefined);
  }

  #kindOf(object: JsonObject, name: string, at: readonly (string | number)[]): PlaceKind | undefined {
    if (name === 'arguments' || name === 'partial_json') return 'arguments';
    if (name === 'input' && object.type === 'custom_tool_call') return 'arguments';
    if (name === 'delta' || name === 'input' || name === 'code')
      if (/_call(?:_arguments|_input|_code)?\./.test(textOr(object.type))) return 'arguments';
    const parent = at.at(-2);
    const isImageUrl = name === 'url' && parent === 'image_url';
    const isImageData = name === 'data' && object.type === 'base64' && parent === 'source';
    const isResult = name === 'result' && object.type === 'image_generation_call';
    if (IMAGES.has(name) || isImageUrl || isResult) return 'image';
    if (isImageData) return textOr(object.media_type).startsWith('image/') ? 'image' : undefined;
    const isSpeech =
      (name === 'data' && (parent === 'audio' || parent === 'input_audio')) || object.type === AUDIO_EVENT;
    if (isSpeech) return this.#options.isRequest === true ? undefined : 'audio';
    if (name === 'file_data' && this.#options.isRequest === true) return undefined;
    return 'text';
  }

  /**
   * Adds adjacent text parts as one text, because models and clients join them. If a match crosses parts, the
   * last one takes the whole text: providers refuse empty parts.
   */
  #addJoined(parts: unknown[], path: readonly (string | number)[]): void {
    for (const run of textRuns(parts)) {
      const at = [...path, parts.indexOf(run[0]), 'text'];
      if (this.#options.channelOf?.(at) !== undefined) continue;
      const joined = () => run.map((part) => textOr(part.text)).join('');
      const put = (text: string) => {
        if (text === joined()) return;
        Object.assign(run.at(-1) ?? {}, { text });
        parts.splice(parts.indexOf(run[0]), run.length - 1);
      };
      this.places.push({ kind: 'text', text: joined(), channel: undefined, call: undefined, put });
    }
  }

  /** Adds the input of a tool call that is an object, as JSON. */
  #addInput(object: JsonObject, input: JsonObject, at: readonly (string | number)[]): void {
    if (Object.keys(input).length === 0) return;
    const put = (json: string) => {
      const replaced = parseExactJson(json);
      if (!isObject(replaced)) throw new Error('the input of a tool is an object');
      setMember(object, 'input', replaced);
    };
    this.#add('arguments', writeExactJson(input), at, put, callOf(object));
  }

  /** Adds the texts of what the gateway itself has encoded for a later turn. */
  #addCarried(opaque: string, at: readonly (string | number)[], put: (text: string) => void): void {
    const state = readCarriedState(opaque);
    if (state === undefined) return;
    const inner = new TextFinder({ ...this.#options, channelOf: undefined });
    inner.visit(state, at);
    for (const place of inner.places) {
      const putInside = place.put;
      place.put = (text) => {
        putInside(text);
        put(writeCarriedState(state));
      };
      this.places.push(place);
    }
  }

  #add(
    kind: PlaceKind,
    text: string,
    path: readonly (string | number)[],
    put: (text: string) => void,
    call?: ToolCall,
  ): void {
    if (text === '' || isLargeNumber(text)) return;
    const channel = kind === 'text' || kind === 'arguments' ? this.#options.channelOf?.(path) : undefined;
    this.places.push({ kind, text, channel, call, put });
  }
}

/** Returns all text parts that are adjacent to others. */
function textRuns(parts: readonly unknown[]): JsonObject[][] {
  const runs: JsonObject[][] = [[]];
  for (const part of parts) {
    const isText = isObject(part) && TEXT_PARTS.has(part.type) && typeof part.text === 'string';
    if (isText) runs.at(-1)?.push(part);
    else runs.push([]);
  }
  return runs.filter(({ length }) => length > 1);
}

/** Sets an own member, also one with a name such as `__proto__`. */
export function setMember(object: object, name: string | number, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function isCall({ arguments: args, input, parameters, type }: JsonObject): boolean {
  return (
    args !== undefined ||
    input !== undefined ||
    parameters !== undefined ||
    (typeof type === 'string' && /tool_use|_call$/.test(type))
  );
}

function callOf({ call_id, id, name }: JsonObject, parent: JsonObject = {}): ToolCall {
  return { id: textOr(call_id) || textOr(id) || textOr(parent.id), name: textOr(name) };
}
