import { parentPort } from 'node:worker_threads';
import { countTexts } from '../tokens/count-texts.ts';
import { promptTexts } from '../tokens/prompt-texts.ts';
import type { CountTask } from '../tokens/token-counts.ts';
import type { Tokenizer } from '../tokens/tokenizer-of.ts';

/**
 * Counts tokens in a thread, because loading a vocabulary takes 250 ms and 60 MB, which an idle thread frees.
 */

/** Tokens around each message and the reply. Source: "How to count tokens with tiktoken" of OpenAI. */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_OF_ANSWER = 3;
/** CPU time limit of one count, enough for megabytes of text. */
const MAX_COUNT_MS = 2_000;
/** Size of the tokenizer's merge cache. */
const MERGE_CACHE_SIZE = 10_000;
/** Treat the spelling of control tokens as plain text. */
const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() };

const VOCABULARIES = {
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
} satisfies Record<Tokenizer, unknown>;

// A rejection ends the thread, which rejects the task in the queue.
// oxlint-disable-next-line typescript/no-misused-promises
parentPort?.on('message', async (task: CountTask) => {
  parentPort?.postMessage(await countTask(task));
});

async function countTask({ json, tokenizer }: CountTask): Promise<number> {
  const { countTokens, setMergeCacheSize } = await VOCABULARIES[tokenizer]();
  setMergeCacheSize(MERGE_CACHE_SIZE);
  const { messages, texts } = promptTexts(JSON.parse(Buffer.from(json.buffer).toString()));
  const startedMs = cpuMs();
  const tokens = countTexts(texts, {
    count: (part) => countTokens(part, NO_SPECIAL_TOKENS),
    isSpent: () => cpuMs() - startedMs > MAX_COUNT_MS,
  });
  return tokens + messages * TOKENS_PER_MESSAGE + TOKENS_OF_ANSWER;
}

function cpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
