export interface GeminiModelTraits {
  /** `budget`: by a number of tokens. `level`: by a level. */
  thinking: 'none' | 'budget' | 'level';
  /** Minimum of thinking tokens; 0: thinking can be turned off. */
  minBudget: number;
  /** The bounds of a budget above 0. */
  budgets: { min: number; max: number };
  minLevel: 'minimal' | 'low';
  /** It refuses earlier calls without their signatures. */
  needsSignatures: boolean;
}

/**
 * A model without version in its name, such as `gemini-flash-latest`, is probably new. Sources: Google's
 * guides "Gemini thinking" (budgets in 2.5, levels since 3; Pro, and Flash since 3.7, have no `minimal`) and
 * "Thought signatures" (required since 3).
 */
export function geminiModelTraits(upstreamModel: string): GeminiModelTraits {
  const name = upstreamModel.toLowerCase();
  const found = /(gemini|gemma)-(\d+)(?:[.-](\d+))?(?!\d)/.exec(name);
  const isGemini = name.includes('gemini');
  const version = found === null ? undefined : Number(found[2]) * 100 + Number(found[3] ?? 0);
  const isNew = isGemini && (version === undefined || version >= 300);
  return {
    thinking: thinkingOf(isGemini, version ?? 300),
    minBudget: name.includes('pro') ? 128 : 0,
    budgets: budgetsOf(name),
    minLevel: name.includes('pro') || (version ?? 0) >= 307 ? 'low' : 'minimal',
    needsSignatures: isNew,
  };
}

/** Source: the table of budgets in "Gemini thinking". Google refuses larger ones. */
function budgetsOf(name: string): GeminiModelTraits['budgets'] {
  if (name.includes('pro')) return { min: 128, max: 32_768 };
  return { min: name.includes('lite') ? 512 : 0, max: 24_576 };
}

function thinkingOf(isGemini: boolean, version: number): GeminiModelTraits['thinking'] {
  if (!isGemini || version < 205) return 'none';
  return version < 300 ? 'budget' : 'level';
}
