import type { JsonObject } from '../../json/json-object.ts';
import { AssistantTurn } from './assistant-turn.ts';
import { contentOf, joined, type Part, textPart } from './chat-content-parts.ts';
import { Origins } from './origins.ts';

const FAILED = 'The tool call failed.';
const MEDIA_FOLLOW = 'Its pictures and files follow in the next message.';

type PendingMessage = { at: string } & (
  | { role: 'user'; parts: Part[] }
  | { role: 'system'; texts: string[] }
);

/**
 * Builds messages of Chat Completions. Merges consecutive messages of a role, because many templates require
 * alternating roles, and puts tool results right behind their calls. `at` is the caller's path.
 */
export class ChatConversation {
  readonly #origins: Origins;
  readonly #takesMediaInResults: boolean;
  readonly #messages: JsonObject[] = [];
  /** User and system messages since the model's last turn. */
  #pending: PendingMessage[] = [];
  #assistant: AssistantTurn | undefined;

  constructor(origins = new Origins(), takesMediaInResults = false) {
    this.#origins = origins;
    this.#takesMediaInResults = takesMediaInResults;
  }

  system(text: string, at: string): void {
    this.#endTurn();
    const last = this.#pending.at(-1);
    if (last?.role === 'system') last.texts.push(text);
    else this.#pending.push({ at, role: 'system', texts: [text] });
  }

  user(parts: readonly Part[], at: string): void {
    this.#endTurn();
    const last = this.#pending.at(-1);
    if (last?.role !== 'user') this.#pending.push({ at, role: 'user', parts: [...parts] });
    else for (const part of parts) last.parts.push(part);
  }

  /** Puts images and files of a result into a user message, unless the provider takes them from tools. */
  result(callId: string, parts: readonly Part[], at: string, isFailure = false): void {
    this.#endTurn();
    if (this.#takesMediaInResults) {
      const content = contentOf(isFailure ? [textPart(FAILED), ...parts] : parts);
      this.#add({ role: 'tool', tool_call_id: callId, content }, at);
      return;
    }
    const media = parts.filter(({ text }) => text === undefined);
    const texts = parts.flatMap(({ text }) => text ?? []);
    if (isFailure) texts.unshift(FAILED);
    if (media.length > 0) {
      texts.push(MEDIA_FOLLOW);
      this.user([textPart(`What the tool call ${callId} has returned besides text:`), ...media], at);
    }
    this.#add({ role: 'tool', tool_call_id: callId, content: joined(texts) }, at);
  }

  /** Returns the current turn of the model, or begins one. */
  assistant(at: string): AssistantTurn {
    if (this.#assistant === undefined) {
      this.#writePending();
      this.#assistant = new AssistantTurn(at, this.#origins);
    }
    return this.#assistant;
  }

  end(): JsonObject[] {
    this.#endTurn();
    this.#writePending();
    return this.#messages;
  }

  #add(message: JsonObject, at: string): void {
    this.#messages.push(this.#origins.record(message, at));
  }

  #endTurn(): void {
    const message = this.#assistant?.message();
    if (message !== undefined) this.#messages.push(message);
    this.#assistant = undefined;
  }

  #writePending(): void {
    for (const message of this.#pending) {
      const content = message.role === 'user' ? contentOf(message.parts) : joined(message.texts);
      this.#add({ role: message.role, content }, message.at);
    }
    this.#pending = [];
  }
}
