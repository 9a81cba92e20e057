import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt, textAt } from '../../translation/field-values.ts';
import type { CohereModelTraits } from './cohere-model-traits.ts';
import { CohereToolCalls } from './cohere-tool-calls.ts';
import { convertContentToCohere, simplest, textParts } from './convert-content-to-cohere.ts';

/** Cohere refuses an empty tool result. */
const NO_RESULT = '(no result)';

/** Leaves out empty messages. @throws GatewayError 400 for what Cohere cannot express */
export function convertChatMessagesToCohere(
  messages: unknown,
  traits: CohereModelTraits,
  reader: FieldReader,
): JsonObject[] {
  const writer = new MessageWriter(traits, reader);
  const written = listAt(messages, 'messages').flatMap((message, index) =>
    writer.write(message, `messages[${index}]`),
  );
  writer.end();
  if (written.length > 0) return written;
  throw reader.refusal('messages', 'takes no messages without any content');
}

class MessageWriter {
  readonly #traits: CohereModelTraits;
  readonly #reader: FieldReader;
  readonly #calls: CohereToolCalls;

  constructor(traits: CohereModelTraits, reader: FieldReader) {
    this.#traits = traits;
    this.#reader = reader;
    this.#calls = new CohereToolCalls(reader);
  }

  /** @throws GatewayError 400 that names a call without its result */
  end(): void {
    this.#calls.requireResults();
  }

  write(given: unknown, path: string): JsonObject[] {
    const message = this.#reader.members(given, path);
    if (message.role !== 'tool') this.#calls.requireResults();
    switch (message.role) {
      case 'system':
      case 'developer':
        return messageFrom(
          'system',
          convertContentToCohere(message.content, `${path}.content`, false, this.#reader),
        );
      case 'user': {
        const { seesPictures } = this.#traits;
        return messageFrom(
          'user',
          convertContentToCohere(message.content, `${path}.content`, seesPictures, this.#reader),
        );
      }
      case 'assistant':
        return this.#assistant(message, path);
      case 'tool':
        return [this.#result(message, path)];
    }
    throw this.#reader.refusal(`${path}.role`, 'takes no messages of this role');
  }

  /** Moves the text of a message with tool calls to `tool_plan`: Cohere takes no text beside calls. */
  #assistant(message: JsonObject, path: string): JsonObject[] {
    const texts = convertContentToCohere(message.content, `${path}.content`, false, this.#reader);
    if (message.refusal !== undefined) texts.push(...textParts(textAt(message.refusal, `${path}.refusal`)));
    const thoughts = this.#thoughts(message, path);
    const calls = listAt(message.tool_calls ?? [], `${path}.tool_calls`).map((call, index) =>
      this.#calls.write(call, `${path}.tool_calls[${index}]`),
    );
    if (calls.length === 0) {
      // A response that was cut during thinking has no text.
      return texts.length === 0 ? [] : messageFrom('assistant', [...thoughts, ...texts]);
    }
    const plan = texts.map(({ text }) => text).join('\n');
    return [
      {
        role: 'assistant',
        ...(thoughts.length === 0 ? {} : { content: thoughts }),
        ...(plan === '' ? {} : { tool_plan: plan }),
        tool_calls: calls,
      },
    ];
  }

  /** Cohere has no signatures: only the text counts. Signatures of other providers are named. */
  #thoughts({ reasoning_content, reasoning_details }: JsonObject, path: string): JsonObject[] {
    const details = listAt(reasoning_details ?? [], `${path}.reasoning_details`).filter(isObject);
    if (details.some(({ data, signature }) => Boolean(data) || Boolean(signature))) {
      this.#reader.ignore('messages[].reasoning_details');
    }
    const text =
      reasoning_content === undefined ? '' : textAt(reasoning_content, `${path}.reasoning_content`);
    const thinking = text || details.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
    if (thinking === '') return [];
    if (this.#traits.thinks) return [{ type: 'thinking', thinking }];
    this.#reader.ignore('messages[].reasoning_content');
    return [];
  }

  #result(message: JsonObject, path: string): JsonObject {
    const parts = convertContentToCohere(message.content, `${path}.content`, false, this.#reader);
    return {
      role: 'tool',
      tool_call_id: this.#calls.takeId(message.tool_call_id, `${path}.tool_call_id`),
      content: parts.length === 0 ? NO_RESULT : simplest(parts),
    };
  }
}

function messageFrom(role: string, parts: readonly JsonObject[]): JsonObject[] {
  return parts.length === 0 ? [] : [{ role, content: simplest(parts) }];
}
