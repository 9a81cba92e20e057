import { expect, it } from 'vitest';
import { MESSAGES_TO_CHAT } from '../callers/caller-translations.ts';
import { CHAT_TO_GEMINI } from '../providers/gemini/convert-chat-to-gemini.ts';
import type { Translation } from './translation.ts';
import { writeTranslated } from './write-translated.ts';

const MODEL = { id: 'acme/small', maxOutputTokens: undefined, upstreamModel: 'gemini-2.5-pro' };
const REQUEST = {
  model: 'acme/small',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hello' }],
  thinking: { type: 'enabled', budget_tokens: 2_000 },
  top_k: 5,
};

function written(...translations: Translation[]) {
  const { ignored, json } = writeTranslated([Buffer.from(JSON.stringify(REQUEST))], translations, MODEL);
  return { ignored, request: JSON.parse(Buffer.from(json).toString()) };
}

it('members that Chat Completions lacks reach a provider that has them', () => {
  expect(written(MESSAGES_TO_CHAT, CHAT_TO_GEMINI)).toEqual({
    ignored: [],
    request: {
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      generationConfig: {
        maxOutputTokens: 100,
        topK: 5,
        thinkingConfig: { thinkingBudget: 2_000, includeThoughts: true },
      },
    },
  });
});

it('members that Chat Completions lacks are ignored by name for its providers', () => {
  expect(written(MESSAGES_TO_CHAT)).toEqual({
    ignored: ['thinking', 'top_k'],
    request: {
      model: 'gemini-2.5-pro',
      messages: [{ role: 'user', content: 'hello' }],
      max_completion_tokens: 100,
    },
  });
});
