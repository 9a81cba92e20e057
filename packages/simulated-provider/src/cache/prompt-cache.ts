import { createHash } from 'node:crypto';
import type { PromptBlock } from '../messages/prompt-blocks.ts';

/** The tokens of a prompt that were read from the cache, written to it, or neither. */
export interface CachedTokens {
  read: number;
  written5m: number;
  written1h: number;
  uncached: number;
}

export interface PromptCacheOptions {
  /** True: OpenAI's APIs also cache, without marks. */
  automatic?: boolean | undefined;
  /** How long a prefix is kept after its last use, unless it is marked with `1h`. Default: 5 minutes. */
  ttlMs?: number | undefined;
}

/** A prompt, and whose it is: each credential has a cache of its own, as each account of a provider has. */
export interface CachedPrompt<Block> {
  credential: string | undefined;
  model: string;
  blocks: readonly Block[];
}

type PlainBlock = Pick<PromptBlock, 'content' | 'tokens'>;

const MINUTE_MS = 60_000;
const TTL_MS = { '5m': 5 * MINUTE_MS, '1h': 60 * MINUTE_MS };
/** https://developers.openai.com/api/docs/guides/prompt-caching: from 1,024 tokens on, in steps of 128. */
const MIN_AUTOMATIC_TOKENS = 1_024;
const STEP_TOKENS = 128;
/** The least recently used prefixes beyond this number are dropped. */
const MAX_PREFIXES = 100_000;

/** Remembers prefixes of prompts. Unlike Anthropic's cache, it accepts short ones that are marked. */
export class PromptCache {
  readonly #options: PromptCacheOptions;
  readonly #now: () => number;
  /** When each prefix expires, the least recently used first. */
  readonly #prefixes = new Map<string, number>();

  /** @param now milliseconds */
  constructor(options: PromptCacheOptions = {}, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Reads the longest known prefix of a prompt up to its last mark, and writes the marked ones after it. */
  useMarked(prompt: CachedPrompt<PromptBlock>): CachedTokens {
    const ends = endsOf(prompt);
    const total = ends.at(-1)?.tokens ?? 0;
    const lastMarked = ends.findLastIndex(({ block }) => block.ttl !== undefined);
    const cached: CachedTokens = { read: 0, written5m: 0, written1h: 0, uncached: total };
    if (lastMarked === -1) return cached;
    const cacheable = ends.slice(0, lastMarked + 1);
    const lastRead = cacheable.findLastIndex(({ hash }) => this.#isKnown(hash));
    let position = cacheable[lastRead]?.tokens ?? 0;
    cached.read = position;
    for (const [index, { block, hash, tokens }] of cacheable.entries()) {
      if (block.ttl === undefined) continue;
      this.#keep(hash, block.ttl === '1h' ? TTL_MS['1h'] : this.#ttlMs);
      if (index <= lastRead) continue;
      cached[block.ttl === '1h' ? 'written1h' : 'written5m'] += tokens - position;
      position = tokens;
    }
    cached.uncached = total - position;
    return cached;
  }

  /**
   * Reads the longest known prefix of a prompt without marks, and keeps all of them.
   * @returns the tokens read
   */
  useAutomatically(prompt: CachedPrompt<PlainBlock>): number {
    if (this.#options.automatic !== true) return 0;
    const ends = endsOf(prompt).filter(({ tokens }) => tokens >= MIN_AUTOMATIC_TOKENS);
    const read = ends.findLast(({ hash }) => this.#isKnown(hash))?.tokens ?? 0;
    for (const { hash } of ends) this.#keep(hash, this.#ttlMs);
    return read - (read % STEP_TOKENS);
  }

  clear(): void {
    this.#prefixes.clear();
  }

  get #ttlMs(): number {
    return this.#options.ttlMs ?? TTL_MS['5m'];
  }

  #isKnown(hash: string): boolean {
    return (this.#prefixes.get(hash) ?? Number.NEGATIVE_INFINITY) > this.#now();
  }

  #keep(hash: string, ttlMs: number): void {
    this.#prefixes.delete(hash);
    this.#prefixes.set(hash, this.#now() + ttlMs);
    const [oldest] = this.#prefixes.keys();
    if (this.#prefixes.size > MAX_PREFIXES && oldest !== undefined) this.#prefixes.delete(oldest);
  }
}

interface End<Block> {
  block: Block;
  /** Identifies all blocks up to this one. */
  hash: string;
  /** The tokens of all blocks up to this one. */
  tokens: number;
}

function endsOf<Block extends PlainBlock>({ blocks, credential, model }: CachedPrompt<Block>): End<Block>[] {
  let hash = `${credential}\n${model}`;
  let tokens = 0;
  return blocks.map((block) => {
    hash = createHash('sha256').update(`${hash}\n${block.content}`).digest('base64');
    tokens += block.tokens;
    return { block, hash, tokens };
  });
}
