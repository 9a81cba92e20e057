import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { StopSignal } from '@model-gateway/service-kit';
import { RE2JS } from 're2js';
import { type GuardrailCheck, type GuardrailInput, type GuardrailVerdict, PASSED } from '../guardrail.ts';

/** Characters to search before other requests get their turn: a few milliseconds. */
const SLICE = 64 * 1024;
/** A longer text is searched in parts, because a search of megabytes takes seconds. */
const MAX_PART = 256 * 1024;
/** The parts of a text share as much, so that no match up to this length is missed. */
const OVERLAP = 16 * 1024;
/** More text than any conversation has. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

export interface Pattern {
  name: string;
  action: 'block' | 'replace';
  /** @returns the text with replacements; the same text: nothing found */
  find(text: string): { isFound: boolean; replaced: string };
}

/** Compiles a pattern of the operator. RE2 takes linear time. @throws Error for an invalid one */
export function re2Pattern(
  name: string,
  pattern: string,
  { action, replacement }: { action: Pattern['action']; replacement: string },
): Pattern {
  const compiled = RE2JS.compile(pattern);
  return {
    name,
    action,
    find: (text) => {
      if (!compiled.matcher(text).find()) return { isFound: false, replaced: text };
      if (action === 'block') return { isFound: true, replaced: text };
      return { isFound: true, replaced: compiled.matcher(text).replaceAll(() => replacement) };
    },
  };
}

/** Searches texts, and the names of called tools, for patterns. */
export class PatternsCheck implements GuardrailCheck {
  readonly isRemote = false;
  readonly #patterns: readonly Pattern[];

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
  }

  async check({ texts, toolCalls }: GuardrailInput, signal: StopSignal): Promise<GuardrailVerdict> {
    const names = toolCalls.map(({ name }) => name);
    if ([...texts, ...names].reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS)
      throw new Error('the texts are too long to search');
    const replaced = [...texts];
    let isReplaced = false;
    let searched = 0;
    for (const pattern of this.#patterns) {
      for (const name of names) if (pattern.find(name).isFound) return blockedBy(pattern);
      for (const [index, text] of replaced.entries()) {
        if (text.length > MAX_PART) {
          if (await isInParts(text, pattern, signal)) return blockedBy(pattern);
          continue;
        }
        const found = pattern.find(text);
        if (found.isFound && pattern.action === 'block') return blockedBy(pattern);
        if (found.isFound) isReplaced = true;
        replaced[index] = found.replaced;
        searched += text.length;
        if (searched <= SLICE) continue;
        searched = 0;
        await yieldToEventLoop();
        signal.throwIfAborted();
      }
    }
    return isReplaced ? { action: 'replaced', texts: replaced } : PASSED;
  }
}

/** Long texts with a match are blocked, not replaced. */
async function isInParts(text: string, pattern: Pattern, signal: StopSignal): Promise<boolean> {
  for (let start = 0; start < text.length - OVERLAP; start += MAX_PART - OVERLAP) {
    if (pattern.find(text.slice(start, start + MAX_PART)).isFound) return true;
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  return false;
}

function blockedBy({ name }: Pattern): GuardrailVerdict {
  return { action: 'blocked', reason: `it matches "${name}"` };
}
