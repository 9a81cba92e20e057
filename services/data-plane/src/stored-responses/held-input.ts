import { Chunks, type JsonBody } from '@model-gateway/dialects';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import { sizeOf } from './stored-response.ts';

/** Maximum bytes of a stored response, with all of its input. */
export const MAX_STORED_BYTES = 4 * 1024 * 1024;

/** The input of a request as an array of items, or the reason why it cannot be stored. */
export type HeldInput = readonly Buffer[] | 'too_large' | 'no_room';

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;

/**
 * Holds the input of a request until its response has ended. The input of a large body is copied, because the
 * worker thread takes the body.
 */
export function holdInput(
  exchange: AuthenticatedExchange,
  body: JsonBody<unknown>,
  budget: MemoryBudget,
): HeldInput {
  const input = inputOf(body);
  if (input === undefined) return [Buffer.from('[]')];
  const bytes = sizeOf(input);
  if (bytes > MAX_STORED_BYTES) return 'too_large';
  if (!body.isLarge) return asItems(input);
  if (!claimMemory(exchange, budget).tryTake(bytes)) return 'no_room';
  return asItems([Buffer.concat(input)]);
}

export function inputOf({ chunks, members }: JsonBody<unknown>): Buffer[] | undefined {
  const member = members.find(({ name }) => name === 'input');
  if (member === undefined) return undefined;
  const input = new Chunks(chunks).slice(member.valueStart, member.end);
  const first = input[0]?.[0];
  return first === QUOTE || first === OPEN_BRACKET ? input : undefined;
}

/** Converts an input to an array of items: a string becomes a user message. */
export function asItems(input: readonly Buffer[]): Buffer[] {
  if (input[0]?.[0] !== QUOTE) return [...input];
  const before = '[{"type":"message","role":"user","content":[{"type":"input_text","text":';
  return [Buffer.from(before), ...input, Buffer.from('}]}]')];
}
