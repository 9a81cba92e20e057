/** A limit that the catalog must set for a model, at least this high. */
export interface NeededLimit {
  name: 'contextLength' | 'maxOutputTokens';
  min: number;
}

interface UnpricedBeta {
  param: string;
  advice: string;
  needsLimit: NeededLimit;
}

/**
 * Betas that raise a limit of the model, such as `context-1m-2025-08-07` and `output-128k-2025-02-19`. The
 * provider may charge more beyond the usual limit. All other known betas cost nothing by themselves: their
 * price follows from a field, such as `speed`. So unknown ones pass, too.
 */
const RAISES_LIMIT = /^(context|output)-(\d{1,5})([km])(?:-|$)/;
const LIMITS = {
  context: { name: 'contextLength', member: 'context_length' },
  output: { name: 'maxOutputTokens', member: 'max_output_tokens' },
} as const;

/** Returns the betas that need a limit of the model. @param param where they are in the request */
export function unpricedBetas(betas: readonly unknown[], param = 'anthropic-beta'): readonly UnpricedBeta[] {
  return betas.flatMap((beta): UnpricedBeta[] => {
    const [, kind, count, unit] = RAISES_LIMIT.exec(String(beta)) ?? [];
    if (kind !== 'context' && kind !== 'output') return [];
    const { member, name } = LIMITS[kind];
    const min = Number(count) * (unit === 'm' ? 1_000_000 : 1_000);
    const advice =
      `Leave "${beta}" out, or ask the operator to set ${member} of the model to at least ${min}, with the ` +
      'prices of that length.';
    return [{ param, advice, needsLimit: { name, min } }];
  });
}
