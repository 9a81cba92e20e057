/** Request features of a model. Anthropic refuses others with 400. */
export interface AnthropicModelTraits {
  /** `one`: either `temperature` or `top_p`, and `top_k`. */
  sampling: 'all' | 'one' | 'none';
  /** `budget`: by a number of tokens. `adaptive`: by an effort. */
  thinking: 'none' | 'budget' | 'adaptive';
  /** It thinks unless the request turns thinking off, if `canStopThinking`. */
  thinksUnasked: boolean;
  /** It accepts a budget, even if `thinking` is `adaptive`. */
  takesBudget: boolean;
  canStopThinking: boolean;
  /** The name of efforts above `high`. */
  utmostEffort: 'max' | 'xhigh';
  /** It accepts `strict` for tools. */
  strictTools: boolean;
  /** It accepts `tool_choice` of the types `any` and `tool`. */
  forcesTools: boolean;
  /** Anthropic's own API accepts messages of the role `system` after a turn of the user. */
  systemTurns: boolean;
}

/** Models of other makers with Anthropic's API support its first version. */
const OF_OTHERS: AnthropicModelTraits = {
  sampling: 'all',
  thinking: 'budget',
  thinksUnasked: false,
  takesBudget: true,
  canStopThinking: true,
  utmostEffort: 'max',
  strictTools: true,
  forcesTools: true,
  systemTurns: false,
};

/** A Claude without version in its name is probably new. */
const OF_A_NEW_CLAUDE: AnthropicModelTraits = { ...OF_OTHERS, thinking: 'adaptive', takesBudget: false };

/**
 * Takes any spelling: `claude-3-7-sonnet-20250219`, `anthropic.claude-haiku-4-5-20251001-v1:0`.
 * Sources: the SDK ("Models released after Claude Opus 4.6 do not support setting temperature"), and the
 * release notes: effort since 4.6, `xhigh` and no budgets since 4.7, one of two samplings since 4.1.
 * langchain-ai/langchain#40622 and the types of its ChatAnthropic for forced tools and system turns.
 */
export function anthropicModelTraits(upstreamModel: string): AnthropicModelTraits {
  if (!upstreamModel.includes('claude')) return OF_OTHERS;
  const version = versionOf(upstreamModel);
  if (version === undefined) return OF_A_NEW_CLAUDE;
  const isFable = /fable|mythos/.test(upstreamModel);
  return {
    sampling: samplingOf(version),
    thinking: thinkingOf(version),
    thinksUnasked: version >= 500,
    takesBudget: version < 407,
    canStopThinking: version < 505 && !(version >= 500 && isFable),
    utmostEffort: version >= 407 ? 'xhigh' : 'max',
    strictTools: version >= 401,
    forcesTools: version < (isFable ? 501 : 505),
    systemTurns:
      version >= 505 || (version >= 500 && isFable) || (version >= 408 && upstreamModel.includes('opus')),
  };
}

/** Up to 3.7 the version stands before the family, since 4 behind it. */
const NAMES = [
  /claude-(?:v|instant-)?([123])(?:[-.](\d))?(?!\d)/,
  /claude-[a-z]+-([4-9]|\d\d)(?:[-.](\d{1,2}))?(?!\d)/,
];

/** Returns 406 for 4.6. Ignores a date after the version. */
function versionOf(name: string): number | undefined {
  for (const pattern of NAMES) {
    const found = pattern.exec(name);
    if (found !== null) return Number(found[1]) * 100 + Number(found[2] ?? 0);
  }
  return undefined;
}

function samplingOf(version: number): AnthropicModelTraits['sampling'] {
  if (version > 406) return 'none';
  return version >= 401 ? 'one' : 'all';
}

function thinkingOf(version: number): AnthropicModelTraits['thinking'] {
  if (version >= 406) return 'adaptive';
  return version >= 307 ? 'budget' : 'none';
}
