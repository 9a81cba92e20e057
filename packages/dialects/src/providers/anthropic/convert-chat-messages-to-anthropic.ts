import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, listAt, textAt } from '../../translation/field-values.ts';
import { ignoreMembersOfOtherRoles } from '../shared/ignore-members-of-other-roles.ts';
import { AnthropicToolCalls } from './anthropic-tool-calls.ts';
import {
  cached,
  convertContentToAnthropic,
  type Speaker,
  textBlocks,
} from './convert-content-to-anthropic.ts';
import { convertReasoningToThinking } from './convert-reasoning-to-thinking.ts';

export interface Turn {
  role: 'user' | 'assistant' | 'system';
  content: JsonObject[];
}

export interface Conversation {
  system: JsonObject[];
  turns: Turn[];
}

interface ConversationOptions {
  /** Prefix of formats whose signatures the provider can read. */
  family?: string;
  /** The model accepts system messages after a turn of the user. */
  systemTurns?: boolean;
}

/** Formats of Anthropic's models begin with this, at every provider. */
const CLAUDE_FAMILY = 'anthropic';
/** Anthropic refuses conversations that begin with the assistant. */
const BEGINNING = '(The assistant speaks first.)';

/**
 * Builds what Anthropic requires: a separate system prompt; alternating, non-empty turns, the user's first;
 * tool results first in the turn after their calls.
 */
export function convertChatMessagesToAnthropic(
  messages: unknown,
  reader: FieldReader,
  options: ConversationOptions = {},
): Conversation {
  const writer = new ConversationWriter(reader, options);
  for (const [index, message] of listAt(messages, 'messages').entries()) {
    writer.add(message, `messages[${index}]`);
  }
  return writer.end();
}

class ConversationWriter {
  readonly #reader: FieldReader;
  readonly #family: string;
  readonly #calls: AnthropicToolCalls;
  readonly #systemTurns: boolean;
  readonly #system: JsonObject[] = [];
  /** System messages that wait for the end of the user's turn. */
  #pendingSystem: JsonObject[] = [];
  readonly #turns: Turn[] = [];
  /** The number of tool results at the start of the last turn. */
  #results = 0;

  constructor(reader: FieldReader, { family = CLAUDE_FAMILY, systemTurns = false }: ConversationOptions) {
    this.#reader = reader;
    this.#family = family;
    this.#systemTurns = systemTurns;
    this.#calls = new AnthropicToolCalls(reader);
  }

  add(given: unknown, path: string): void {
    const message = this.#reader.members(given, path);
    ignoreMembersOfOtherRoles(message, this.#reader);
    switch (message.role) {
      case 'system':
      case 'developer':
        this.#instruct(this.#content(message, path, 'system'));
        return;
      case 'user':
        this.#say('user', this.#content(message, path, 'user'));
        return;
      case 'assistant':
        this.#answer(message, path);
        return;
      case 'tool':
        this.#result(this.#calls.takeId(message.tool_call_id, `${path}.tool_call_id`), message, path);
        return;
      case 'function':
        this.#result(this.#calls.takeLegacyId(`${path}.role`), message, path);
        return;
    }
    throw this.#reader.refusal(`${path}.role`, 'takes no messages of this role');
  }

  end(): Conversation {
    this.#calls.requireResults();
    this.#trimFinalText();
    this.#writePendingSystem();
    const [first] = this.#turns;
    if (first === undefined) return this.#instructionsAlone();
    if (first.role === 'assistant') {
      this.#turns.unshift({ role: 'user', content: textBlocks(BEGINNING) });
    }
    return { system: this.#system, turns: this.#turns };
  }

  #instruct(content: JsonObject[]): void {
    const isInBetween = this.#systemTurns && this.#turns.length > 0;
    (isInBetween ? this.#pendingSystem : this.#system).push(...content);
  }

  /** Anthropic accepts a system turn only after a turn of the user. */
  #writePendingSystem(): void {
    const content = this.#pendingSystem;
    this.#pendingSystem = [];
    if (content.length === 0) return;
    if (this.#turns.at(-1)?.role === 'user') this.#turns.push({ role: 'system', content });
    else this.#system.push(...content);
  }

  #answer(message: JsonObject, path: string): void {
    const { function_call, refusal, tool_calls } = message;
    const blocks = [
      ...convertReasoningToThinking(message, { family: this.#family, path }, this.#reader),
      ...convertContentToAnthropic(message.content, `${path}.content`, 'assistant', this.#reader),
    ];
    if (refusal !== undefined) {
      blocks.push(...textBlocks(textAt(refusal, `${path}.refusal`)));
    }
    // A user turn in between would separate earlier calls from their results.
    if (this.#turns.at(-1)?.role === 'user') this.#calls.requireResults();
    for (const [index, call] of listAt(tool_calls ?? [], `${path}.tool_calls`).entries()) {
      blocks.push(this.#calls.blockOf(call, `${path}.tool_calls[${index}]`));
    }
    if (function_call !== undefined) {
      blocks.push(this.#calls.legacyBlockOf(function_call, `${path}.function_call`));
    }
    this.#say('assistant', withCacheControl(this.#withoutThoughtsAlone(blocks), message.cache_control));
  }

  /** Drops a turn that was cut while the model thought: Anthropic refuses turns that end in thinking. */
  #withoutThoughtsAlone(blocks: JsonObject[]): JsonObject[] {
    if (blocks.some(({ type }) => type === 'text' || type === 'tool_use')) return blocks;
    if (blocks.length > 0) this.#reader.ignore('messages[].reasoning_details');
    return [];
  }

  #result(id: string, message: JsonObject, path: string): void {
    const content = convertContentToAnthropic(message.content, `${path}.content`, 'tool', this.#reader);
    const { cache_control } = message;
    const isError = flagAt(message.is_error ?? false, `${path}.is_error`);
    const result = {
      type: 'tool_result',
      tool_use_id: id,
      ...(content.length === 0 ? {} : { content: simplest(content) }),
      ...(isError ? { is_error: true } : {}),
      ...cached(cache_control),
    };
    const last = this.#turns.at(-1);
    if (last?.role === 'user') last.content.splice(this.#results, 0, result);
    else this.#turns.push({ role: 'user', content: [result] });
    this.#results++;
  }

  #content(message: JsonObject, path: string, speaker: Speaker): JsonObject[] {
    const blocks = convertContentToAnthropic(message.content, `${path}.content`, speaker, this.#reader);
    return withCacheControl(blocks, message.cache_control);
  }

  #say(role: 'user' | 'assistant', content: JsonObject[]): void {
    if (content.length === 0) return;
    if (role === 'assistant') this.#writePendingSystem();
    const last = this.#turns.at(-1);
    if (last?.role === role) {
      last.content.push(...content);
      return;
    }
    this.#turns.push({ role, content });
    this.#results = 0;
  }

  /** Anthropic refuses a final assistant turn that ends in white space. */
  #trimFinalText(): void {
    const last = this.#turns.at(-1);
    const block = last?.content.at(-1);
    if (last?.role !== 'assistant' || block?.type !== 'text' || typeof block.text !== 'string') return;
    last.content[last.content.length - 1] = { ...block, text: block.text.trimEnd() };
  }

  /** Many clients send only a system prompt. */
  #instructionsAlone(): Conversation {
    if (this.#system.length > 0) return { system: [], turns: [{ role: 'user', content: this.#system }] };
    throw this.#reader.refusal('messages', 'takes no messages without any content');
  }
}

/** Puts the cache mark of a message on its last block. */
function withCacheControl(blocks: JsonObject[], cacheControl: unknown): JsonObject[] {
  const last = blocks.at(-1);
  if (last === undefined || cacheControl === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, ...cached(cacheControl) }];
}

/** Returns a string for a single plain text. */
export function simplest(blocks: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only] = blocks;
  const isPlain = blocks.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  return isPlain && typeof only.text === 'string' ? only.text : blocks;
}
