import { CHAT_COMPLETIONS, type Recorded, recordedIn } from './recorded-seeds.ts';

/** Recorded responses, and the kinds of providers that send such responses. */
export interface AnswerSeeds {
  kinds: readonly string[];
  recorded: Recorded;
}

export const ANSWER_SEEDS: readonly AnswerSeeds[] = [
  { kinds: ['openai', 'azure', 'mistral', 'groq', 'deepseek'], recorded: CHAT_COMPLETIONS },
  { kinds: ['openai-responses'], recorded: recordedIn('openai/responses') },
  { kinds: ['anthropic', 'vertex-claude', 'bedrock-claude'], recorded: recordedIn('anthropic') },
  { kinds: ['gemini', 'vertex'], recorded: recordedIn('google') },
  { kinds: ['converse'], recorded: recordedIn('amazon-bedrock') },
  { kinds: ['cohere'], recorded: recordedIn('cohere') },
];
