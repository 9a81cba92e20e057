export interface GeminiModelTraits {
  /** How it is asked to think: not at all, within a number of tokens, or on a level. */
  thinking: 'none' | 'budget' | 'level';
  /** The least that it can think: 0 tokens, or the lowest level. */
  leastBudget: number;
  /** The bounds of a budget above 0. */
  budgets: { min: number; max: number };
  leastLevel: 'minimal' | 'low';
  /** It refuses calls in its conversation that have lost their signatures. */
  needsSignatures: boolean;
}

/**
 * By the provider's name of a model: `gemini-2.5-flash-lite`, `gemini-3-pro-preview`. One whose name tells no
 * version, such as `gemini-flash-latest`, is most likely a new one.
 *
 * Sources: Google's guides "Gemini thinking" (budgets of 2.5, of which Pro thinks at least 128 tokens; levels
 * since 3, of which Pro, and Flash since 3.7, have no `minimal`) and "Thought signatures" (needed since 3).
 */
export function geminiModelTraits(upstreamModel: string): GeminiModelTraits {
  const name = upstreamModel.toLowerCase();
  const found = /(gemini|gemma)-(\d+)(?:[.-](\d+))?(?!\d)/.exec(name);
  const isGemini = name.includes('gemini');
  const version = found === null ? undefined : Number(found[2]) * 100 + Number(found[3] ?? 0);
  const isNew = isGemini && (version === undefined || version >= 300);
  return {
    thinking: thinkingOf(isGemini, version ?? 300),
    leastBudget: name.includes('pro') ? 128 : 0,
    budgets: budgetsOf(name),
    leastLevel: name.includes('pro') || (version ?? 0) >= 307 ? 'low' : 'minimal',
    needsSignatures: isNew,
  };
}

/** Source: the table of budgets in "Gemini thinking"; a larger one is refused. */
function budgetsOf(name: string): GeminiModelTraits['budgets'] {
  if (name.includes('pro')) return { min: 128, max: 32_768 };
  return { min: name.includes('lite') ? 512 : 0, max: 24_576 };
}

function thinkingOf(isGemini: boolean, version: number): GeminiModelTraits['thinking'] {
  if (!isGemini || version < 205) return 'none';
  return version < 300 ? 'budget' : 'level';
}
