import type { Answer } from './outage-money-load.ts';
import type { MoneyStack } from './outage-money-stack.ts';

/** Nano-USD that a token of model sim/chat-pro costs. */
const INPUT_NANO_USD = 1_000n;
const OUTPUT_NANO_USD = 2_000n;
/** Nano-USD that an image of model sim/image-pro costs. */
const IMAGE_NANO_USD = 40_000_000n;

export interface Audit {
  /** Findings, in words. */
  problems: string[];
  /** Complete responses that nobody pays for in full. */
  unbilled: Answer[];
  uncollected: bigint;
  /** Number of usage records. */
  records: number;
}

/** Compares what clients saw with what the provider counted and what is stored. */
export async function auditAnswers(stack: MoneyStack, answers: readonly Answer[]): Promise<Audit> {
  const records = await stack.usageRecords();
  const problems: string[] = [];
  let uncollected = 0n;
  for (const record of records.values()) {
    const { requestId, charged, cost, paid } = record;
    uncollected += record.uncollected;
    if (charged !== paid) problems.push(`${requestId}: charged ${charged}, but pools have paid ${paid}`);
    if (cost !== charged + record.uncollected) problems.push(`${requestId} does not add up`);
  }
  const reached = new Set(stack.provider.requests.map(({ bodyText }) => nonceOf(bodyText)));
  const unbilled: Answer[] = [];
  const seen = new Set<string>();
  for (const answer of answers) {
    const { requestId, complete, nonce } = answer;
    if (requestId === undefined) continue;
    if (seen.has(requestId)) problems.push(`${requestId} was given to two requests`);
    seen.add(requestId);
    const record = records.get(requestId);
    if (record !== undefined && !reached.has(nonce)) problems.push(`${requestId} never reached the provider`);
    if (!complete) continue;
    // A stream that was complete may be billed up to its last checkpoint only.
    if (record === undefined || record.reason === 'aborted_partial') unbilled.push(answer);
    else if (record.cost !== due(answer)) {
      problems.push(`${requestId} costs ${record.cost} instead of ${due(answer)}`);
    }
  }
  return { problems, unbilled, uncollected, records: records.size };
}

/**
 * Returns the cost of the usage that the client read, at the catalog's prices; undefined when it read none.
 */
function due({ plan, usage }: Answer): bigint | undefined {
  if (plan.image) return IMAGE_NANO_USD;
  if (usage === undefined) return undefined;
  return BigInt(usage.prompt_tokens) * INPUT_NANO_USD + BigInt(usage.completion_tokens) * OUTPUT_NANO_USD;
}

/** Each request's text is a UUID of its own. */
function nonceOf(bodyText: string): string {
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(bodyText)?.[0] ?? '';
}
