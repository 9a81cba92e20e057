import type { ChatAnswer } from '../chat/chat-answer.ts';
import type { OutlinedAnswer } from '../json/outlined-answer.ts';
import type { JsonAnswer, LargeJsonAnswer } from './answer-translators.ts';

/**
 * The caller's side of one chat. Whatever a provider speaks, its answer is told here in the shape of Chat
 * Completions; this side counts what it delivers, and writes it in the dialect of the caller.
 */
export interface ChatCaller {
  /**
   * A chunk of an answer in events.
   * @param text the data of a provider's event that was this chunk already: it need not be written anew
   * @returns complete events for the client; none where nothing of it is for the client
   */
  chunk(chunk: ChatAnswer, text?: string): string;
  /** The last event of an answer that is complete. */
  end(): string;
  /** @param text as of `chunk`, the text of the answer */
  completion(completion: ChatAnswer, text?: string): JsonAnswer;
  /** A large completion in the shape of Chat Completions. @throws GatewayError 502 when it is none */
  large(answer: OutlinedAnswer): LargeJsonAnswer;
}
