import type { JsonObject } from '../../json/json-object.ts';
import { joined } from './chat-content-parts.ts';
import type { Origins } from './origins.ts';

interface Call {
  id: string;
  name: string;
  /** JSON text. */
  args: string;
  /** Where the caller has it. */
  at: string;
}

/** One turn of the model, of one or several messages of the caller's API, as one of Chat Completions. */
export class AssistantTurn {
  readonly #at: string;
  readonly #origins: Origins;
  readonly #calls: { id: string; [member: string]: unknown }[] = [];
  /** Extra data of calls, by call id. */
  readonly #extras = new Map<string, unknown>();
  readonly #details: JsonObject[] = [];
  readonly #images: JsonObject[] = [];
  readonly #texts: string[] = [];
  #textGoesOn = false;
  #reasoning = '';
  #reasoningField = 'reasoning_content';

  /** @param at where it begins in the caller's request */
  constructor(at: string, origins: Origins) {
    this.#at = at;
    this.#origins = origins;
  }

  /** Text that follows text goes on with it, until something else or another message parts them. */
  addText(text: string): void {
    if (text === '') return;
    const begun = this.#textGoesOn ? this.#texts.pop() : undefined;
    this.#texts.push((begun ?? '') + text);
    this.#textGoesOn = true;
  }

  endMessage(): void {
    this.#textGoesOn = false;
  }

  addCall({ args, at, id, name }: Call): void {
    this.#textGoesOn = false;
    const call = { id, type: 'function', function: { name, arguments: args } };
    this.#calls.push(this.#origins.keep(call, at));
  }

  /** @param extra its `extra_content`; the call may come later */
  addExtra(callId: string, extra: unknown): void {
    this.#textGoesOn = false;
    this.#extras.set(callId, extra);
  }

  addReasoning(text: string, field?: 'reasoning' | 'reasoning_content'): void {
    this.#textGoesOn = false;
    if (field !== undefined) this.#reasoningField = field;
    this.#reasoning += text;
  }

  /** An entry of `reasoning_details`. */
  addDetail(detail: JsonObject): void {
    this.#textGoesOn = false;
    this.#details.push(detail);
  }

  /** A picture that the model has drawn. @param url most often a data URL */
  addPicture(url: string): void {
    this.#textGoesOn = false;
    this.#images.push({ type: 'image_url', image_url: { url } });
  }

  /** @returns undefined where there is nothing in it */
  message(): JsonObject | undefined {
    const text = joined(this.#texts);
    const hasCalls = this.#calls.length > 0;
    const hasReasoning = this.#reasoning !== '' || this.#details.length > 0;
    const hasImages = this.#images.length > 0;
    if (text === '' && !hasCalls && !hasReasoning && !hasImages) return undefined;
    const message = {
      role: 'assistant',
      content: text === '' && hasCalls ? null : text,
      ...(this.#reasoning === '' ? {} : { [this.#reasoningField]: this.#reasoning }),
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(hasImages ? { images: this.#images } : {}),
      ...(hasCalls ? { tool_calls: this.#callsWithExtras() } : {}),
    };
    return this.#origins.keep(message, this.#at);
  }

  #callsWithExtras(): readonly JsonObject[] {
    if (this.#extras.size > 0)
      for (const call of this.#calls) {
        const extra = this.#extras.get(call.id);
        if (extra !== undefined) call.extra_content = extra;
      }
    return this.#calls;
  }
}
