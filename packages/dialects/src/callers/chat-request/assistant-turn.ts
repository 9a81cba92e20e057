import type { JsonObject } from '../../json/json-object.ts';
import { joined } from './chat-content-parts.ts';
import type { Origins } from './origins.ts';

interface Call {
  id: string;
  name: string;
  /** JSON text. */
  args: string;
  /** The caller's path. */
  at: string;
}

/** Joins one turn of the model, which may be several messages in the caller's API. */
export class AssistantTurn {
  readonly #at: string;
  readonly #origins: Origins;
  readonly #calls: { id: string; [member: string]: unknown }[] = [];
  /** Extra data of calls, by call id. */
  readonly #extras = new Map<string, unknown>();
  readonly #details: JsonObject[] = [];
  readonly #images: JsonObject[] = [];
  readonly #texts: string[] = [];
  #continuesText = false;
  #reasoning = '';
  #reasoningField = 'reasoning_content';

  constructor(at: string, origins: Origins) {
    this.#at = at;
    this.#origins = origins;
  }

  /** Joins adjacent texts of one message. */
  addText(text: string): void {
    if (text === '') return;
    const begun = this.#continuesText ? this.#texts.pop() : undefined;
    this.#texts.push((begun ?? '') + text);
    this.#continuesText = true;
  }

  endMessage(): void {
    this.#continuesText = false;
  }

  addCall({ args, at, id, name }: Call): void {
    this.#continuesText = false;
    const call = { id, type: 'function', function: { name, arguments: args } };
    this.#calls.push(this.#origins.record(call, at));
  }

  /** @param extra its `extra_content`; the call may come later */
  addExtra(callId: string, extra: unknown): void {
    this.#continuesText = false;
    this.#extras.set(callId, extra);
  }

  addReasoning(text: string, field?: 'reasoning' | 'reasoning_content'): void {
    this.#continuesText = false;
    if (field !== undefined) this.#reasoningField = field;
    this.#reasoning += text;
  }

  addDetail(detail: JsonObject): void {
    this.#continuesText = false;
    this.#details.push(detail);
  }

  addPicture(url: string): void {
    this.#continuesText = false;
    this.#images.push({ type: 'image_url', image_url: { url } });
  }

  /** @returns undefined for an empty turn */
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
    return this.#origins.record(message, this.#at);
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
