import { isMembers } from './members.ts';

/**
 * Contents of the messages that all requests of a conversation begin with: the system prompt and everything
 * up to the first user message. A thread that validates large requests replaces it by its hash.
 */
export type ConversationStart = readonly unknown[];

/**
 * Returns the start of a conversation; undefined without a user message.
 * @param system the system prompt, if it is a member of its own
 */
export function conversationStart(
  messages: readonly unknown[],
  system?: unknown,
): ConversationStart | undefined {
  const start = [system];
  for (const message of messages) {
    if (!isMembers(message)) continue;
    start.push(message.content);
    if (message.role === 'user') return start;
  }
  return undefined;
}
