import {
  BUDGET_WINDOWS,
  CACHE_FORM,
  CACHE_OFF,
  keyCache,
  TAG_NAME,
  TAG_VALUE,
} from '@model-gateway/shared/rules';
import { type Command, InvalidArgumentError } from 'commander';
import { parseLimit } from './parse-limit.ts';
import { parseUsdOption } from './parse-usd.ts';

interface Budget {
  usd: string;
  window: string;
  on_exceed: string;
}

type Tag = readonly [name: string, value: string];

/**
 * Rules, tags and cache of a key as options. Undefined: not given. `any`: null, which commander does not
 * take.
 */
export interface RulesOptions {
  budget?: Budget[];
  models?: string[] | 'any';
  providers?: string[] | 'any';
  endpoints?: string[] | 'any';
  networks?: string[] | 'any';
  requestsPerMinute?: number | 'any';
  tokensPerMinute?: number | 'any';
  streams?: number | 'any';
  tag?: Tag[];
  requireTag?: string[];
  requireEndUser?: boolean;
  cache?: string;
}

export function addRulesOptions(command: Command): Command {
  return command
    .option(
      '--budget <usd/window>',
      'at most this many US dollars a day, week, month or in total, such as 25/month; 25/month/warn only ' +
        'reports; repeatable; or none',
      collected(parseBudget),
    )
    .option(
      '--models <ids>',
      'only these models: ids or patterns such as acme/*, comma-separated; or any',
      parseList,
    )
    .option('--providers <ids>', 'only these providers: ids or patterns, comma-separated; or any', parseList)
    .option('--endpoints <names>', 'only these endpoints, such as chat,embeddings; or any', parseList)
    .option('--networks <cidrs>', 'only clients in these networks, comma-separated; or any', parseList)
    .option('--requests-per-minute <n>', 'at most this many requests per minute; or any', parseNumber)
    .option(
      '--tokens-per-minute <n>',
      'at most this many input and output tokens per minute; or any',
      parseNumber,
    )
    .option('--streams <n>', 'at most this many concurrent streams; or any', parseNumber)
    .option('--tag <name=value>', 'a tag of all its requests; repeatable; or none', collected(parseTag))
    .option(
      '--require-tag <name>',
      'requests must have this tag; repeatable; or none',
      collected(parseTagName),
    )
    .option('--require-end-user', 'requests must name an end user')
    .option('--no-require-end-user', 'requests need not name an end user')
    .option(
      '--cache <directives>',
      'how requests without the header x-gateway-cache use the cache, such as "read, write; ttl=3600"; or off',
      parseCache,
    );
}

/**
 * Returns the members of rules that the options name, and the settings of the key.
 * @returns each is undefined when no option names it
 */
export function readRulesOptions(options: RulesOptions) {
  const members = {
    budgets: options.budget,
    models: options.models,
    providers: options.providers,
    endpoints: options.endpoints,
    networks: options.networks,
    requests_per_minute: options.requestsPerMinute,
    tokens_per_minute: options.tokensPerMinute,
    streams: options.streams,
    require_tags: options.requireTag,
    require_end_user: options.requireEndUser,
  };
  const given = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value === 'any' ? null : value]],
  );
  return {
    rulesJson: given.length === 0 ? undefined : JSON.stringify(Object.fromEntries(given)),
    tags: options.tag && Object.fromEntries(options.tag),
    cache: options.cache,
  };
}

/** Parses a repeatable option; `none` sets an empty list. */
function collected<Item>(parse: (text: string) => Item) {
  return (text: string, before: Item[] = []): Item[] => (text === 'none' ? [] : [...before, parse(text)]);
}

function parseBudget(text: string): Budget {
  const [usd = '', window = '', action = 'block', ...more] = text.split('/');
  const isKnown = BUDGET_WINDOWS.some((known) => known === window) && ['block', 'warn'].includes(action);
  if (!isKnown || more.length > 0)
    throw new InvalidArgumentError(
      `It must be US dollars and one of ${BUDGET_WINDOWS.join(', ')}, such as 25/month.`,
    );
  return { usd: parseUsdOption(usd), window, on_exceed: action };
}

function parseList(text: string): string[] | 'any' {
  if (text === 'any') return text;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function parseNumber(text: string): number | 'any' {
  return text === 'any' ? text : parseLimit(text);
}

function parseTag(text: string): Tag {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!TAG_NAME.test(name) || !TAG_VALUE.test(value))
    throw new InvalidArgumentError('It must be a name and a value, such as project=alpha.');
  return [name, value];
}

function parseTagName(text: string): string {
  if (TAG_NAME.test(text)) return text;
  throw new InvalidArgumentError('A tag name has 1 to 64 of the characters a-z 0-9 _ . -');
}

function parseCache(text: string): string {
  if (text === CACHE_OFF || keyCache.safeParse(text).success) return text;
  throw new InvalidArgumentError(`It ${CACHE_FORM}; or off.`);
}
