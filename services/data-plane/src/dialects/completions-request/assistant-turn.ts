import type { JsonObject } from '../../translation/json-object.ts';
import { joined } from './parts.ts';

interface Call {
  id: string;
  name: string;
  /** JSON text. */
  args: string;
}

/** One turn of the model, of one or several messages of the caller's API, as one of Chat Completions. */
export class AssistantTurn {
  readonly #calls: { id: string; [member: string]: unknown }[] = [];
  /** What belongs to a call, by its id. */
  readonly #extras = new Map<string, unknown>();
  readonly #details: JsonObject[] = [];
  readonly #texts: string[] = [];
  #textGoesOn = false;
  #reasoning = '';
  #reasoningField = 'reasoning_content';

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

  addCall({ args, id, name }: Call): void {
    this.#textGoesOn = false;
    this.#calls.push({ id, type: 'function', function: { name, arguments: args } });
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

  /** @returns undefined where there is nothing in it */
  message(): JsonObject | undefined {
    const text = joined(this.#texts);
    const hasCalls = this.#calls.length > 0;
    const hasReasoning = this.#reasoning !== '' || this.#details.length > 0;
    if (text === '' && !hasCalls && !hasReasoning) return undefined;
    return {
      role: 'assistant',
      content: text === '' && hasCalls ? null : text,
      ...(this.#reasoning === '' ? {} : { [this.#reasoningField]: this.#reasoning }),
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(hasCalls ? { tool_calls: this.#calls.map((call) => this.#withExtra(call)) } : {}),
    };
  }

  #withExtra(call: { id: string }): JsonObject {
    const extra = this.#extras.get(call.id);
    return extra === undefined ? call : { ...call, extra_content: extra };
  }
}
