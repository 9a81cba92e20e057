import { invalidField } from '@model-gateway/shared/errors';
import type { FieldReader } from '../../../translation/field-reader.ts';
import { flagAt, objectsAt, textAt } from '../../../translation/field-values.ts';
import { isObject, type JsonObject } from '../../../translation/json-object.ts';
import { AssistantTurn } from './assistant.ts';
import { blockMembers } from './blocks.ts';
import { type Part, partsOf, textPart } from './parts.ts';

const BETWEEN_BLOCKS = '\n\n';
/** Chat Completions has no mark for a failed call, so the model reads it. */
const FAILED = 'The tool call failed.';
const MEDIA_FOLLOW = 'Its pictures and files follow in the next message.';

/**
 * The messages of a request in the shape of Chat Completions. Anthropic takes consecutive messages of one
 * role for one, and so they become one: many templates insist on alternating roles, and the results of tools
 * must follow their calls at once, whatever else the user says.
 */
export class Conversation {
  readonly #reader: FieldReader;
  readonly #messages: JsonObject[] = [];
  #user: Part[] | undefined;
  #assistant: AssistantTurn | undefined;

  constructor(reader: FieldReader) {
    this.#reader = reader;
  }

  system(content: unknown, at: string): void {
    this.#flush();
    const texts = this.#parts(content, at, ['text']).map(({ text }) => text ?? '');
    this.#messages.push({ role: 'system', content: texts.join(BETWEEN_BLOCKS) });
  }

  /** @throws GatewayError 400 for what Chat Completions cannot express */
  add({ content, role, ...others }: JsonObject, at: string): void {
    this.#reader.members(others, at);
    if (role === 'user') this.#addUser(content, `${at}.content`);
    else if (role === 'assistant') this.#addAssistant(content, `${at}.content`);
    else if (role === 'system') this.system(content, `${at}.content`);
    else throw invalidField(`${at}.role`, 'must be user or assistant');
  }

  end(): JsonObject[] {
    this.#flush();
    return this.#messages;
  }

  #addUser(content: unknown, at: string): void {
    if (this.#assistant !== undefined) this.#flush();
    const blocks = blocksOf(content, at);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    if (blocks.length > results.length || results.length === 0) this.#user ??= [];
    for (const [index, block] of blocks.entries()) {
      const where = `${at}[${index}]`;
      if (block.type === 'tool_result') this.#toolResult(block, where);
      else this.#user?.push(...partsOf(this.#reader, block, where, USER_BLOCKS));
    }
  }

  #toolResult(block: JsonObject, at: string): void {
    const { content, is_error, tool_use_id } = blockMembers(this.#reader, block, at);
    const id = textAt(tool_use_id, `${at}.tool_use_id`);
    const parts = content === undefined ? [] : this.#parts(content, `${at}.content`, USER_BLOCKS);
    const media = parts.filter(({ text }) => text === undefined);
    const texts = parts.flatMap(({ text }) => text ?? []);
    if (flagAt(is_error ?? false, `${at}.is_error`)) texts.unshift(FAILED);
    if (media.length > 0) {
      texts.push(MEDIA_FOLLOW);
      this.#user ??= [];
      this.#user.push(textPart(`What the tool call ${id} has returned besides text:`), ...media);
    }
    this.#messages.push({ role: 'tool', tool_call_id: id, content: texts.join(BETWEEN_BLOCKS) });
  }

  #addAssistant(content: unknown, at: string): void {
    if (this.#assistant === undefined) this.#flush();
    this.#assistant ??= new AssistantTurn(this.#reader);
    for (const [index, block] of blocksOf(content, at).entries())
      this.#assistant.add(block, `${at}[${index}]`);
    this.#assistant.endMessage();
  }

  #parts(content: unknown, at: string, types: readonly string[]): Part[] {
    return blocksOf(content, at).flatMap((block, index) =>
      partsOf(this.#reader, block, `${at}[${index}]`, types),
    );
  }

  #flush(): void {
    if (this.#user !== undefined) this.#messages.push({ role: 'user', content: contentOf(this.#user) });
    if (this.#assistant !== undefined) this.#messages.push(this.#assistant.message());
    this.#user = undefined;
    this.#assistant = undefined;
  }
}

const USER_BLOCKS = ['text', 'image', 'document', 'search_result'];

/** Text alone is a string, which every server takes; parts are for pictures and files. */
function contentOf(parts: readonly Part[]): string | readonly Part[] {
  const isText = parts.every(({ text }) => text !== undefined);
  return isText ? parts.map(({ text }) => text).join(BETWEEN_BLOCKS) : parts;
}

/** A text stands for one block of it. */
function blocksOf(content: unknown, at: string): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (isObject(content)) throw invalidField(at, 'must be a string or an array of content blocks');
  return objectsAt(content, at);
}
