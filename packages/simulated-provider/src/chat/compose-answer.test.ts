import { describe, expect, it } from 'vitest';
import type { ChatMessage } from './chat-request.ts';
import { composeAnswer } from './compose-answer.ts';

const ask = (content: string): ChatMessage[] => [{ role: 'user', content }];

describe('a composed answer', () => {
  it.each([
    'Why is the sky blue?',
    'How do I bake sourdough bread at home?',
    'What is the capital of France?',
    'Compare tea and coffee',
    'Write a haiku about autumn rain',
    'Fix the bug in this python function',
    'Which laptop should I buy?',
  ])('to "%s" is two to five whole sentences about it', (question) => {
    const answer = composeAnswer(ask(question), 0);
    const sentences = answer.split(/(?<=[.?!]) /);
    expect(sentences.length).toBeGreaterThanOrEqual(2);
    expect(sentences.length).toBeLessThanOrEqual(5);
    expect(answer).not.toMatch(/[{}]/);
    const words = question.toLowerCase().match(/\w{3,}/g) ?? [];
    expect(words.some((word) => answer.toLowerCase().includes(word))).toBe(true);
  });

  it('is the same for the same messages, and another one for other messages or another choice', () => {
    const answer = composeAnswer(ask('Explain photosynthesis'), 0);
    expect(composeAnswer(ask('Explain photosynthesis'), 0)).toBe(answer);
    const others = new Set(
      Array.from({ length: 8 }, (_, index) => composeAnswer(ask('Explain photosynthesis'), index)),
    );
    expect(others.size).toBeGreaterThan(3);
  });

  it('returns a greeting', () => {
    expect(composeAnswer(ask('Hello!'), 0)).toMatch(/^(Hello|Hi)/);
  });

  it('reads content parts and quotes the result of a tool', () => {
    const parts: ChatMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'Explain glaciers' }, { type: 'image_url' }] },
    ];
    expect(composeAnswer(parts, 0)).toContain('glaciers');
    const tool: ChatMessage[] = [...ask('Weather in Paris?'), { role: 'tool', content: '{"celsius":21}' }];
    expect(composeAnswer(tool, 0)).toContain('{"celsius":21}');
  });

  it('exists for any prompt, however odd', () => {
    for (const content of ['', '$& $1 {topic} {word}', '\ud800', '!!!', '🧪', 'a'.repeat(100_000)]) {
      expect(composeAnswer(ask(content), 0).length).toBeGreaterThan(20);
    }
    expect(composeAnswer([{ role: 'assistant', content: null }], 0)).not.toBe('');
  });
});
