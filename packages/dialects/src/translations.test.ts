import { expect, it } from 'vitest';
import * as callers from './callers/caller-translations.ts';
import { CHAT_TO_ANTHROPIC } from './providers/anthropic/convert-chat-to-anthropic.ts';
import { findTranslations } from './translations.ts';

it('the worker thread finds every translation by its name', () => {
  const all = [...Object.values(callers), CHAT_TO_ANTHROPIC];
  expect(findTranslations(all.map(({ name }) => name))).toEqual(all);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(() => findTranslations(['another'])).toThrow('another');
});
