import { DEFAULT_TIER, readServiceTier } from '../billing/service-tier.ts';
import type { PriceName } from '../billing/units.ts';
import { type NeededLimit, unpricedBetas } from './anthropic-betas.ts';
import { KnownMembers } from './member-spelling.ts';
import { isMembers, type Members } from './members.ts';

/**
 * A parameter that changes what a provider charges. A paid model refuses it unless the catalog has a price
 * for it. Free models refuse dearer service tiers, and models that are not free. Parameters without a rule
 * pass unchanged.
 */
export interface Unpriced {
  /** JSON path, e.g. `tools[0].type`. */
  param: string;
  /** A sentence that says what to do instead. */
  advice: string;
  /** The price that covers it; left out: no price of the catalog does. */
  needs?: PriceName;
  /** The provider's name of another model that the request uses. That model's price covers the parameter. */
  needsModel?: string;
  /** The service tier whose prices cover it, by `readServiceTier`. */
  needsTier?: string;
  /** The limit of the catalog that covers it. A model without that limit covers anything. */
  needsLimit?: NeededLimit;
}

type Found = Omit<Unpriced, 'param'> | Unpriced;

/** @returns undefined when the value costs nothing more */
type Rule = (value: unknown, request: Members) => Found | readonly Found[] | undefined;

const TOOL_MEMBERS = new KnownMembers(['type']);
/** The types of tools that callers run themselves. */
const OWN_TOOLS: readonly unknown[] = ['function', 'custom'];

const leaveOut = { advice: 'Leave it out.' };
const refused: Rule = () => leaveOut;

/** @param usual the word of the caller's API for no particular tier */
export function unpricedTier(value: unknown, usual: string): Omit<Unpriced, 'param'> | undefined {
  const tier = readServiceTier(value);
  if (tier === DEFAULT_TIER || (tier === undefined && typeof value === 'string')) return undefined;
  return { advice: `Leave it out, or send "${usual}".`, needsTier: tier ?? 'unknown' };
}

/** The rules for chats: for OpenAI's parameters, and those of common providers with a compatible API. */
const CHAT_RULES: Readonly<Record<string, Rule>> = {
  service_tier: (value) => unpricedTier(value, 'default'),
  modalities: (value) =>
    Array.isArray(value) && value.every((modality) => modality === 'text')
      ? undefined
      : { advice: 'Leave it out, or send ["text"].' },
  audio: refused,
  // Each search is charged: OpenAI and Perplexity, xAI, Alibaba, OpenRouter. Only the first form has a price,
  // since the others have further ones.
  web_search_options: () => ({ ...leaveOut, needs: 'web_search_request_usd' }),
  search_parameters: (value) =>
    isMembers(value) && value.mode === 'off' && Object.keys(value).length === 1
      ? undefined
      : { advice: 'Leave it out, or send {"mode":"off"}.' },
  enable_search: (value) => (value === false ? undefined : { advice: 'Leave it out, or send false.' }),
  plugins: refused,
  // OpenRouter: these select another model or provider, at another price. Its `models` is never sent on.
  route: refused,
  provider: refused,
  // vLLM: generates more choices than it returns.
  best_of: (value, { n }) =>
    value === (n ?? 1) ? undefined : { advice: 'Leave it out; "n" sets the number of choices.' },
  tools: (value) => {
    if (!Array.isArray(value)) return undefined;
    const index = value.findIndex((tool) => isMembers(tool) && !isOwnTool(tool));
    return index === -1
      ? undefined
      : {
          param: `tools[${index}].type`,
          advice: 'Send tools of the type "function", which you run yourself.',
        };
  },
};

export const PRICED_BY_RULE: readonly string[] = Object.keys(CHAT_RULES);

// A completion's `best_of` is reserved, and its tokens are counted.
const { best_of: _, ...COMPLETIONS_RULES } = CHAT_RULES;
const COMPLETIONS_ENTRIES = Object.entries(COMPLETIONS_RULES);

/** As `unpricedOfChat`, for POST /v1/completions. */
export function unpricedOfCompletion(request: Members): readonly Unpriced[] {
  return allUnpriced(COMPLETIONS_ENTRIES, request);
}

/** Finds the parameters of a chat that change the provider's price. */
export function unpricedOfChat(request: Members): readonly Unpriced[] {
  return allUnpriced(CHAT_ENTRIES, request);
}

const NONE: readonly Unpriced[] = [];
/** Built once, because every chat is checked. */
const CHAT_ENTRIES = Object.entries(CHAT_RULES);

function allUnpriced(
  rules: readonly (readonly [param: string, rule: Rule])[],
  request: Members,
): readonly Unpriced[] {
  let all = NONE;
  for (const [param, rule] of rules) {
    const value = request[param];
    if (value === undefined || value === null) continue;
    const found = rule(value, request);
    // Hardly any request has one.
    if (found !== undefined) all = [...all, ...[found].flat().map((one) => ({ param, ...one }))];
  }
  return all;
}

// Both are priced at a multiple of the list price, in a request and in each of its fallbacks.
const speed: Rule = (value) =>
  value === 'standard' ? undefined : { advice: 'Leave it out, or send "standard".' };
const inferenceGeo: Rule = (value) =>
  value === 'global' ? undefined : { advice: 'Leave it out, or send "global".' };

/** The rules for Messages, in Anthropic's words. */
const MESSAGES_RULES: Readonly<Record<string, Rule>> = {
  service_tier: (value) => unpricedTier(value, 'auto'),
  speed,
  inference_geo: inferenceGeo,
  // Bedrock and Vertex AI take betas in the body.
  anthropic_beta: (value) => unpricedBetas([value].flat(), 'anthropic_beta'),
  tools: (value) =>
    list(value).flatMap((tool, index): Unpriced[] => {
      const param = `tools[${index}].type`;
      if (!isMembers(tool)) return [];
      if (isMisspelt(tool)) return [{ param, advice: 'Spell it "type".' }];
      if (typeof tool.type !== 'string') return [];
      const { needs } = CHARGED_TOOLS.find(({ type }) => type.test(String(tool.type))) ?? {};
      if (needs !== undefined) return [{ param, ...leaveOut, needs }];
      return typeof tool.model === 'string'
        ? [{ param: `tools[${index}].model`, ...otherModel, needsModel: tool.model }]
        : [];
    }),
  fallbacks: (value) => (Array.isArray(value) ? value.flatMap(fallback) : leaveOut),
};

/** Anthropic's tools that it runs itself and charges by the call. All others cost tokens alone. */
const CHARGED_TOOLS: readonly { type: RegExp; needs: PriceName }[] = [
  { type: /^web_search_/, needs: 'web_search_request_usd' },
  { type: /^code_execution_/, needs: 'tool_call_usd' },
];
const otherModel = { advice: 'Name a model of this gateway that has a price.' };

const FALLBACK_ENTRIES = Object.entries({ speed, inference_geo: inferenceGeo });

function fallback(entry: unknown, index: number): Unpriced[] {
  const at = `fallbacks[${index}]`;
  if (!isMembers(entry) || typeof entry.model !== 'string') return [{ param: at, ...otherModel }];
  const ofEntry = allUnpriced(FALLBACK_ENTRIES, entry);
  return [
    { param: `${at}.model`, ...otherModel, needsModel: entry.model },
    ...ofEntry.map((one) => ({ ...one, param: `${at}.${one.param}` })),
  ];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const MESSAGES_ENTRIES = Object.entries(MESSAGES_RULES);

/** As `unpricedOfChat`, for Messages. */
export function unpricedOfMessages(request: Members): readonly Unpriced[] {
  return allUnpriced(MESSAGES_ENTRIES, request);
}

function isOwnTool(tool: Members): boolean {
  if (isMisspelt(tool)) return false;
  return tool.type === undefined || OWN_TOOLS.includes(tool.type);
}

/** Returns true if some JSON parsers take a misspelled member for the type of the tool. */
function isMisspelt(tool: Members): boolean {
  return Object.keys(tool).some((name) => TOOL_MEMBERS.meantBy(name) !== undefined);
}
