import { beforeEach, describe, expect, it } from 'vitest';
import { PromptCache } from './prompt-cache.ts';

const MINUTE_MS = 60_000;
const clock = { ms: 0 };
let cache: PromptCache;

const block = (content: string, tokens: number, ttl?: '5m' | '1h') => ({ content, tokens, ttl });
const LONG = block('system', 1_000);

beforeEach(() => {
  clock.ms = 0;
  cache = new PromptCache({ automatic: true }, () => clock.ms);
});

describe('the automatic cache', () => {
  const turns = (count: number) => Array.from({ length: count }, (_, index) => block(`turn ${index}`, 100));
  const read = (count: number, credential = 'a', model = 'm') =>
    cache.useAutomatically({ credential, model, blocks: [LONG, ...turns(count)] });

  it('reads what earlier turns of a conversation have sent, in steps of 128 tokens from 1,024 on', () => {
    expect(read(0)).toBe(0);
    expect(read(0)).toBe(0);
    expect(read(1)).toBe(0);
    expect(read(3)).toBe(1_024);
    expect(read(5)).toBe(1_280);
  });

  it('belongs to one credential and one model', () => {
    read(1);
    expect(read(2, 'b')).toBe(0);
    expect(read(2, 'a', 'other')).toBe(0);
    expect(read(2)).toBe(1_024);
  });

  it('forgets five minutes after the last use', () => {
    read(1);
    clock.ms = 4 * MINUTE_MS;
    expect(read(1)).toBe(1_024);
    clock.ms = 8 * MINUTE_MS;
    expect(read(1)).toBe(1_024);
    clock.ms = 13 * MINUTE_MS;
    expect(read(1)).toBe(0);
  });

  it('is off unless it is wanted', () => {
    cache = new PromptCache({}, () => clock.ms);
    read(1);
    expect(read(1)).toBe(0);
  });
});

describe('the cache of marked prompts', () => {
  const use = (credential: string, ...blocks: ReturnType<typeof block>[]) =>
    cache.useMarked({ credential, model: 'm', blocks });

  it('keeps a prefix for five minutes after its last use, or for an hour', () => {
    const prompt = [block('tools', 10, '1h'), block('system', 20, '5m'), block('text', 5)] as const;
    expect(use('a', ...prompt)).toEqual({ read: 0, written1h: 10, written5m: 20, uncached: 5 });
    clock.ms = 4 * MINUTE_MS;
    expect(use('a', ...prompt)).toMatchObject({ read: 30 });
    clock.ms = 8 * MINUTE_MS;
    expect(use('a', ...prompt)).toMatchObject({ read: 30 });
    clock.ms = 13 * MINUTE_MS;
    expect(use('a', ...prompt)).toMatchObject({ read: 10, written5m: 20 });
    clock.ms = 74 * MINUTE_MS;
    expect(use('a', ...prompt)).toMatchObject({ read: 0 });
  });

  it('belongs to one credential', () => {
    use('a', block('text', 5, '5m'));
    expect(use('b', block('text', 5, '5m'))).toMatchObject({ read: 0, written5m: 5 });
    expect(use('a', block('text', 5, '5m'))).toMatchObject({ read: 5 });
  });
});
