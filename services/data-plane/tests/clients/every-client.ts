import { aiSdk } from './ai-sdk.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import type { ClientKind } from './client.ts';
import { langchain } from './langchain.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

/** Each library in each API that it speaks. Adding one to the test is one entry. */
export const EVERY_CLIENT: readonly ClientKind[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  ...aiSdk,
  ...langchain,
];
