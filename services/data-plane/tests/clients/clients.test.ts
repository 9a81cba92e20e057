import { anthropicMessages } from './anthropic-messages.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { testClients } from './test-clients.ts';

testClients([openaiChat, openaiResponses, anthropicMessages]);
