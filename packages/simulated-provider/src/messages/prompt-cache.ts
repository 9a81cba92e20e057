import { createHash } from 'node:crypto';
import type { PromptBlock } from './prompt-blocks.ts';

/** The tokens of a prompt that were read from the cache, written to it, or neither. */
export interface CachedTokens {
  read: number;
  written5m: number;
  written1h: number;
  uncached: number;
}

/**
 * Remembers the prefixes of prompts that were marked for caching. Unlike Anthropic's cache, it accepts short
 * ones and has no TTL.
 */
export class PromptCache {
  readonly #prefixes = new Set<string>();

  /** Reads the longest known prefix of a prompt up to its last mark, and writes the marked ones after it. */
  use(model: string, blocks: readonly PromptBlock[]): CachedTokens {
    const ends = endsOf(model, blocks);
    const total = ends.at(-1)?.tokens ?? 0;
    const lastMarked = ends.findLastIndex(({ ttl }) => ttl !== undefined);
    const cached: CachedTokens = { read: 0, written5m: 0, written1h: 0, uncached: total };
    if (lastMarked === -1) return cached;
    const cacheable = ends.slice(0, lastMarked + 1);
    const lastRead = cacheable.findLastIndex(({ hash }) => this.#prefixes.has(hash));
    let position = cacheable[lastRead]?.tokens ?? 0;
    cached.read = position;
    for (const { hash, tokens, ttl } of cacheable.slice(lastRead + 1)) {
      if (ttl === undefined) continue;
      cached[ttl === '1h' ? 'written1h' : 'written5m'] += tokens - position;
      position = tokens;
      this.#prefixes.add(hash);
    }
    cached.uncached = total - position;
    return cached;
  }

  clear(): void {
    this.#prefixes.clear();
  }
}

interface End {
  /** Identifies all blocks up to this one. */
  hash: string;
  /** The tokens of all blocks up to this one. */
  tokens: number;
  ttl: PromptBlock['ttl'];
}

function endsOf(model: string, blocks: readonly PromptBlock[]): End[] {
  let hash = model;
  let tokens = 0;
  return blocks.map((block) => {
    hash = createHash('sha256').update(`${hash}\n${block.content}`).digest('base64');
    tokens += block.tokens;
    return { hash, tokens, ttl: block.ttl };
  });
}
