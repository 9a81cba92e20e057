/** Request features of a Claude model. Anthropic refuses the others with 400, and has changed them often. */
export interface AnthropicModelTraits {
  /** How many of `temperature` and `top_p` it takes, and whether it takes `top_k`: all or none. */
  sampling: 'all' | 'one' | 'none';
  /** How it is asked to think: not at all, within a number of tokens, or as much as the effort says. */
  thinking: 'none' | 'budget' | 'adaptive';
  /** It thinks without being asked, and some of its family cannot be kept from it. */
  thinksUnasked: boolean;
  /** It takes a number of tokens to think, also where it is asked by effort otherwise. */
  takesBudget: boolean;
  /** Thinking can be turned off. */
  canStopThinking: boolean;
  /** The word for more than a high effort. */
  utmostEffort: 'max' | 'xhigh';
  /** It keeps to the schemas of tools where it is told to. */
  strictTools: boolean;
}

/** Models of others behind Anthropic's API know its first form. */
const OF_OTHERS: AnthropicModelTraits = {
  sampling: 'all',
  thinking: 'budget',
  thinksUnasked: false,
  takesBudget: true,
  canStopThinking: true,
  utmostEffort: 'max',
  strictTools: true,
};

/** A Claude whose name tells no version is most likely a new one. */
const OF_A_NEW_CLAUDE: AnthropicModelTraits = { ...OF_OTHERS, thinking: 'adaptive', takesBudget: false };

/**
 * By the provider's name of a model, in whichever spelling: `claude-opus-4-6`, `claude-3-7-sonnet-20250219`,
 * `anthropic.claude-haiku-4-5-20251001-v1:0`.
 *
 * Sources: "Models released after Claude Opus 4.6 do not support setting temperature" (types of the SDK for
 * `temperature`, `top_p`, `top_k`); adaptive thinking and the effort came with 4.6, `xhigh` with 4.7, after
 * which budgets were gone; from 4.1 on `temperature` and `top_p` exclude each other; from 5 on thinking is
 * on.
 */
export function anthropicModelTraits(upstreamModel: string): AnthropicModelTraits {
  if (!upstreamModel.includes('claude')) return OF_OTHERS;
  const version = versionOf(upstreamModel);
  if (version === undefined) return OF_A_NEW_CLAUDE;
  return {
    sampling: samplingOf(version),
    thinking: thinkingOf(version),
    thinksUnasked: version >= 500,
    takesBudget: version < 407,
    canStopThinking: version < 505 && !(version >= 500 && upstreamModel.includes('fable')),
    utmostEffort: version >= 407 ? 'xhigh' : 'max',
    strictTools: version >= 401,
  };
}

/** Until 3.7 the version came before the family, which has had at least a 4 since. */
const NAMES = [
  /claude-(?:v|instant-)?([123])(?:[-.](\d))?(?!\d)/,
  /claude-[a-z]+-([4-9]|\d\d)(?:[-.](\d{1,2}))?(?!\d)/,
];

/** 4.6 is 406; a date after the version is none of it. */
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
