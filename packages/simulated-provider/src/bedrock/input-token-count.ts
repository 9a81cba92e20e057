import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { loadTokenizer } from '../text/tokenizer.ts';

export async function countedHeaders(
  texts: readonly string[],
  fault: Fault,
): Promise<Readonly<Record<string, string>>> {
  const tokenizer = await loadTokenizer();
  const tokens = texts.reduce((sum, text) => sum + tokenizer.count(text), 0);
  const counted = spoilUsage({ tokens }, fault);
  return counted === undefined ? {} : { 'x-amzn-bedrock-input-token-count': String(counted.tokens) };
}
