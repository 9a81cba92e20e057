import { parentPort } from 'node:worker_threads';
import type { CountTask } from '../tokens/count-task.ts';
import { countTexts } from '../tokens/count-texts.ts';
import { promptTexts } from '../tokens/prompt-texts.ts';
import type { Tokenizer } from '../tokens/tokenizer-of.ts';

/**
 * The thread that counts tokens: to load a vocabulary takes a quarter of a second and some 60 MB, which are
 * free again when nobody has asked for a while.
 */

/**
 * Frame of a message, and of the answer that follows. Source: "How to count tokens with tiktoken" of OpenAI.
 */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_OF_ANSWER = 3;
/** CPU time of one count: that of megabytes of any language. */
const MAX_COUNT_MS = 2_000;
/** Pieces of words whose tokens are remembered. */
const REMEMBERED = 10_000;
/** The spelling of a control token is mere text in a request. */
const ALL_IS_TEXT = { disallowedSpecial: new Set<string>() };

const VOCABULARIES = {
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
} satisfies Record<Tokenizer, unknown>;

parentPort?.on('message', async (task: CountTask) => {
  parentPort?.postMessage(await countTask(task));
});

async function countTask({ json, tokenizer }: CountTask): Promise<number> {
  const { countTokens, setMergeCacheSize } = await VOCABULARIES[tokenizer]();
  setMergeCacheSize(REMEMBERED);
  const { messages, texts } = promptTexts(JSON.parse(Buffer.from(json.buffer).toString()));
  const startedMs = cpuMs();
  const tokens = countTexts(texts, {
    count: (part) => countTokens(part, ALL_IS_TEXT),
    isSpent: () => cpuMs() - startedMs > MAX_COUNT_MS,
  });
  return tokens + messages * TOKENS_PER_MESSAGE + TOKENS_OF_ANSWER;
}

function cpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
