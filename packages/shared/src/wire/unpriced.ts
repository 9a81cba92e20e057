import { KnownMembers } from './member-spelling.ts';

/**
 * Parameters that change what a provider charges and that no price of the catalog covers: a paid model
 * refuses them. Free models take them all, and what is not listed passes as it came.
 */
export interface Unpriced {
  /** JSON path, e.g. `tools[0].type`. */
  param: string;
  /** What to do instead, a sentence. */
  advice: string;
}

/** @returns undefined: the value costs nothing more */
type Rule = (
  value: unknown,
  request: Readonly<Record<string, unknown>>,
) => Omit<Unpriced, 'param'> | Unpriced | undefined;

/** What everybody gets who names no tier: OpenAI's words, and Groq's. */
const USUAL_TIERS: readonly unknown[] = ['auto', 'default', 'on_demand'];
const TOOL_MEMBERS = new KnownMembers(['type']);
/** Tools that callers run themselves. */
const OWN_TOOLS: readonly unknown[] = ['function', 'custom'];

const leaveOut = { advice: 'Leave it out.' };
const refused: Rule = () => leaveOut;

/** Members of chats: OpenAI's, and those of the common providers that speak its language. */
const CHAT_RULES: Readonly<Record<string, Rule>> = {
  service_tier: (value) =>
    USUAL_TIERS.includes(value) ? undefined : { advice: 'Leave it out, or send "default".' },
  modalities: (value) =>
    Array.isArray(value) && value.every((modality) => modality === 'text')
      ? undefined
      : { advice: 'Leave it out, or send ["text"].' },
  audio: refused,
  // Searches are charged one by one: OpenAI and Perplexity, xAI, Alibaba, OpenRouter.
  web_search_options: refused,
  search_parameters: (value) =>
    isObject(value) && value.mode === 'off' && Object.keys(value).length === 1
      ? undefined
      : { advice: 'Leave it out, or send {"mode":"off"}.' },
  enable_search: (value) => (value === false ? undefined : { advice: 'Leave it out, or send false.' }),
  plugins: refused,
  // Another model, or another provider of it, at another price: OpenRouter.
  models: refused,
  route: refused,
  provider: refused,
  // More answers are written than come back: vLLM.
  best_of: (value, { n }) =>
    value === (n ?? 1) ? undefined : { advice: 'Leave it out; "n" says how many answers are wanted.' },
  tools: (value) => {
    if (!Array.isArray(value)) return undefined;
    const index = value.findIndex((tool) => isObject(tool) && !isOwnTool(tool));
    return index === -1
      ? undefined
      : {
          param: `tools[${index}].type`,
          advice: 'Send tools of the type "function", which you run yourself.',
        };
  },
};

/** The parameters of a chat that a rule looks at. */
export const PRICED_BY_RULE: readonly string[] = Object.keys(CHAT_RULES);

/** The first parameter of a chat that no price covers. */
export function unpricedOfChat(request: Readonly<Record<string, unknown>>): Unpriced | undefined {
  for (const param of PRICED_BY_RULE) {
    const value = request[param];
    if (value === undefined || value === null) continue;
    const found = CHAT_RULES[param]?.(value, request);
    if (found !== undefined) return { param, ...found };
  }
  return undefined;
}

function isOwnTool(tool: Record<string, unknown>): boolean {
  if (Object.keys(tool).some((name) => TOOL_MEMBERS.meantBy(name) !== undefined)) return false;
  return tool.type === undefined || OWN_TOOLS.includes(tool.type);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
