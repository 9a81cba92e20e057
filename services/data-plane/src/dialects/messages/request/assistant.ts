import type { FieldReader } from '../../../translation/field-reader.ts';
import { objectAt, textAt } from '../../../translation/field-values.ts';
import type { JsonObject } from '../../../translation/json-object.ts';
import { encryptedDetail, keptIn, signedDetail } from '../kept-reasoning.ts';
import { blockMembers, refusedType } from './blocks.ts';

/** One turn of the model, of one or several messages. */
export class AssistantTurn {
  readonly #reader: FieldReader;
  readonly #calls: { id: string; [member: string]: unknown }[] = [];
  /** What belongs to a call, by its id. */
  readonly #extras = new Map<string, unknown>();
  readonly #details: JsonObject[] = [];
  #text = '';
  #textGoesOn = false;
  #reasoning = '';
  #reasoningField = 'reasoning_content';

  constructor(reader: FieldReader) {
    this.#reader = reader;
  }

  /** @throws GatewayError 400 for a block that Chat Completions cannot express */
  add(block: JsonObject, at: string): void {
    const type = textAt(block.type, `${at}.type`);
    const isText = type === 'text';
    if (isText) this.#addText(blockMembers(this.#reader, block, at), at);
    else if (type === 'tool_use') this.#addCall(blockMembers(this.#reader, block, at), at);
    else if (type === 'thinking') this.#addThinking(blockMembers(this.#reader, block, at), at);
    else if (type === 'redacted_thinking') this.#addRedacted(blockMembers(this.#reader, block, at), at);
    else throw refusedType(this.#reader, 'content', type, at);
    this.#textGoesOn = isText;
  }

  endMessage(): void {
    this.#textGoesOn = false;
  }

  message(): JsonObject {
    const hasCalls = this.#calls.length > 0;
    return {
      role: 'assistant',
      content: this.#text === '' && hasCalls ? null : this.#text,
      ...(this.#reasoning === '' ? {} : { [this.#reasoningField]: this.#reasoning }),
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(hasCalls ? { tool_calls: this.#calls.map((call) => this.#withExtra(call)) } : {}),
    };
  }

  #withExtra(call: { id: string }): JsonObject {
    const extra = this.#extras.get(call.id);
    return extra === undefined ? call : { ...call, extra_content: extra };
  }

  /** Text with citations is divided into blocks in the middle of sentences; other blocks part it. */
  #addText({ text }: JsonObject, at: string): void {
    const gap = this.#textGoesOn || this.#text === '' ? '' : '\n\n';
    this.#text += gap + textAt(text, `${at}.text`);
  }

  #addCall({ id, input, name }: JsonObject, at: string): void {
    const written = JSON.stringify(input === undefined ? {} : objectAt(input, `${at}.input`));
    this.#calls.push({
      id: textAt(id, `${at}.id`),
      type: 'function',
      function: { name: textAt(name, `${at}.name`), arguments: written },
    });
  }

  #addThinking({ signature, thinking }: JsonObject, at: string): void {
    const text = textAt(thinking, `${at}.thinking`);
    const sign = signature === undefined ? '' : textAt(signature, `${at}.signature`);
    const kept = keptIn(sign);
    if (kept?.detail !== undefined) {
      this.#details.push({ ...kept.detail, text });
      return;
    }
    if (kept?.field !== undefined) this.#reasoningField = kept.field;
    this.#reasoning += text;
    if (kept === undefined && sign !== '') this.#details.push(signedDetail(text, sign));
  }

  #addRedacted({ data }: JsonObject, at: string): void {
    const opaque = textAt(data, `${at}.data`);
    const kept = keptIn(opaque);
    if (kept?.call !== undefined) this.#extras.set(kept.call.id, kept.call.extra_content);
    else this.#details.push(kept?.detail ?? encryptedDetail(opaque));
  }
}
