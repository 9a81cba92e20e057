import { invalidField } from '@model-gateway/shared/errors';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, objectsAt, textAt } from '../../translation/field-values.ts';
import { joined, type Part } from '../chat-request/chat-content-parts.ts';
import { ChatConversation } from '../chat-request/chat-conversation.ts';
import type { ToolNames } from '../chat-request/tool-names.ts';
import { convertAssistantBlockToChat } from './convert-assistant-block-to-chat.ts';
import { convertMessagesContent } from './convert-messages-content.ts';
import { messagesBlockMembers } from './messages-block-members.ts';

export class MessagesReader {
  readonly #names: ToolNames;
  readonly #reader: FieldReader;
  readonly #conversation = new ChatConversation();

  constructor(reader: FieldReader, names: ToolNames) {
    this.#reader = reader;
    this.#names = names;
  }

  system(content: unknown, at: string): void {
    const texts = this.#parts(content ?? [], at, SYSTEM_BLOCKS).map(({ text }) => text ?? '');
    if (texts.length > 0) this.#conversation.system(joined(texts), at);
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
    return this.#conversation.end();
  }

  #addUser(content: unknown, at: string): void {
    const blocks = blocksOf(content, at);
    if (blocks.length === 0) this.#conversation.user([], at);
    for (const [index, block] of blocks.entries()) {
      const where = `${at}[${index}]`;
      if (block.type === 'tool_result') this.#addResult(block, where);
      else this.#conversation.user(convertMessagesContent(this.#reader, block, where, USER_BLOCKS), where);
    }
  }

  #addResult(block: JsonObject, at: string): void {
    const { content, is_error, tool_use_id } = messagesBlockMembers(this.#reader, block, at);
    const id = textAt(tool_use_id, `${at}.tool_use_id`);
    const parts = content === undefined ? [] : this.#parts(content, `${at}.content`, USER_BLOCKS);
    const isFailure = flagAt(is_error ?? false, `${at}.is_error`);
    this.#conversation.result(id, parts, at, isFailure);
  }

  #addAssistant(content: unknown, at: string): void {
    const turn = this.#conversation.assistant(at);
    for (const [index, block] of blocksOf(content, at).entries())
      convertAssistantBlockToChat(
        turn,
        { reader: this.#reader, names: this.#names },
        block,
        `${at}[${index}]`,
      );
    turn.endMessage();
  }

  #parts(content: unknown, at: string, types: readonly string[]): Part[] {
    return blocksOf(content, at).flatMap((block, index) =>
      convertMessagesContent(this.#reader, block, `${at}[${index}]`, types),
    );
  }
}

const SYSTEM_BLOCKS = ['text', 'tool_addition', 'tool_removal'];
const USER_BLOCKS = ['text', 'image', 'document', 'search_result', 'tool_reference'];

function blocksOf(content: unknown, at: string): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (isObject(content)) throw invalidField(at, 'must be a string or an array of content blocks');
  return objectsAt(content, at);
}
