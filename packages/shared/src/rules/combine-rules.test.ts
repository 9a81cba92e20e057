import { BlockList, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineRules, type LevelRules } from './combine-rules.ts';
import { globMatcher } from './glob-matcher.ts';
import { intersectGlobs, intersectNetworks } from './intersect-lists.ts';
import { RULE_SCOPES, rules } from './rules.ts';

const level = (scope: LevelRules['scope'], given: object): LevelRules => ({
  scope,
  rules: rules.parse(given),
});

describe('the intersection of lists of globs', () => {
  it.each<[string[][], string[]]>([
    [[['acme/large', 'acme/small'], ['acme/large']], ['acme/large']],
    [[['acme/*'], ['acme/large', 'other/large']], ['acme/large']],
    [[['acme/*'], ['acme/l*']], ['acme/l*']],
    [
      [['acme/*'], ['*/large']],
      ['acme/*/large', 'acme/large'],
    ],
    [[['acme/*'], ['other/*']], []],
    [[['*'], ['acme/*', 'other/*'], ['other/*']], ['other/*']],
    [[['a', 'a*', 'a']], ['a*']],
    [[['acme/*'], []], []],
  ])('of %j is %j', (lists, expected) => {
    expect(intersectGlobs(lists).toSorted()).toEqual(expected.toSorted());
  });

  const part = fc.constantFrom('a', 'b', '*', '/', 'ab');
  const glob = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
  const lists = fc.array(fc.array(glob, { maxLength: 4 }), { minLength: 1, maxLength: 4 });
  const id = fc.array(fc.constantFrom('a', 'b', '/', 'c'), { maxLength: 9 }).map((parts) => parts.join(''));

  it('matches a name exactly when every list does', () => {
    fc.assert(
      fc.property(lists, fc.array(id, { minLength: 20, maxLength: 20 }), (given, ids) => {
        const matches = globMatcher(intersectGlobs(given));
        const everywhere = ids.filter((each) => given.every((list) => globMatcher(list)(each)));
        expect(ids.filter(matches)).toEqual(everywhere);
      }),
      { numRuns: 300 },
    );
  });

  it('stays short and fast for lists that would combine to very many', () => {
    const many = (mark: string) => Array.from({ length: 200 }, (_, index) => `*${mark}${index}*x*y*z*`);
    const [text, ...others] = intersectGlobs([many('a'), many('b'), many('c')]);
    expect(others).toEqual([]);
    expect(text).toMatch(/^\(\*a0\*x\*y\*z\* \| .*\) & \(.*\) & \(.*\)$/);
  });
});

describe('the time of an intersection', () => {
  const twoLevels = (member: string, own: string[], accounts: string[]) =>
    combineRules([level('key', { [member]: own }), level('account', { [member]: accounts })]);
  const fast = (combine: () => unknown) => {
    const before = process.cpuUsage();
    combine();
    const { system, user } = process.cpuUsage(before);
    expect((system + user) / 1_000).toBeLessThan(500);
  };

  it('stays short for long globs that have nothing in common', () => {
    const globs = (mark: string, end: string) =>
      Array.from({ length: 200 }, (_, index) => `${`*${mark}`.repeat(110)}${index}${end}`);
    fast(() => twoLevels('models', globs('a', 'x'), globs('b', 'y')));
  });

  it('stays short for many networks', () => {
    const networks = (first: number) => Array.from({ length: 200 }, (_, index) => `${first}.${index}.0.0/16`);
    fast(() => twoLevels('networks', networks(10), networks(11)));
    fast(() => twoLevels('networks', networks(10).slice(0, 100), networks(11).slice(0, 100)));
  });
});

describe('the intersection of networks', () => {
  it.each<[string[][], string[]]>([
    [[['10.0.0.0/8'], ['10.1.0.0/16', '192.168.0.0/16']], ['10.1.0.0/16']],
    [[['10.0.0.1'], ['10.0.0.0/8']], ['10.0.0.1']],
    [[['2001:db8::/32'], ['2001:db8:1::/48', '10.0.0.0/8']], ['2001:db8:1::/48']],
    [[['10.0.0.0/8'], ['2001:db8::/32']], []],
    [[['0.0.0.0/0'], ['10.0.0.0/8', '10.1.0.0/16']], ['10.0.0.0/8']],
  ])('of %j is %j', (lists, expected) => expect(intersectNetworks(lists)).toEqual(expected));

  const network = fc
    .tuple(fc.constantFrom(8, 9, 16, 30, 32), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
    .map(([bits, second, last]) => `10.${second * 64}.0.${last}/${bits}`);
  const address = fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
    .map(([second, last]) => `10.${second * 64}.0.${last}`);

  it('contains an address exactly when every list does', () => {
    const lists = fc.array(fc.array(network, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(lists, fc.array(address, { minLength: 10 }), (given, addresses) => {
        for (const each of addresses) {
          const everywhere = given.every((list) => isIn(list, each));
          expect(isIn(intersectNetworks(given), each)).toBe(everywhere);
        }
      }),
    );
  });
});

function isIn(networks: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    list.addSubnet(base, Number(bits ?? 32), isIPv6(base) ? 'ipv6' : 'ipv4');
  }
  return list.check(address);
}

describe('the rules of several levels', () => {
  it('say which level decided each member', () => {
    const { effective, from } = combineRules([
      level('key', {
        models: ['acme/small'],
        endpoints: ['chat', 'images'],
        tokens_per_minute: 900,
        require_tags: ['project'],
        expires_at: '2027-01-01T00:00:00Z',
        budgets: [{ usd: '1', window: 'day' }],
      }),
      level('seat', {}),
      level('account', {
        models: ['acme/*'],
        endpoints: ['chat', 'speech'],
        tokens_per_minute: 500,
        streams: 3,
        require_tags: ['project', 'env'],
        expires_at: 1_760_000_000,
        require_end_user: true,
        budgets: [{ usd: '25', window: 'month', on_exceed: 'warn' }],
      }),
    ]);
    expect(effective).toEqual({
      models: ['acme/small'],
      providers: null,
      endpoints: ['chat'],
      networks: null,
      budgets: [
        { scope: 'key', usd: '1', window: 'day', on_exceed: 'block' },
        { scope: 'account', usd: '25', window: 'month', on_exceed: 'warn' },
      ],
      requests_per_minute: null,
      tokens_per_minute: 500,
      streams: 3,
      expires_at: '2025-10-09T08:53:20.000Z',
      require_tags: ['project', 'env'],
      require_end_user: true,
    });
    expect(from).toEqual({
      models: 'key',
      providers: null,
      endpoints: 'key, account',
      networks: null,
      budgets: 'key, account',
      requests_per_minute: null,
      tokens_per_minute: 'account',
      streams: 'account',
      expires_at: 'account',
      require_tags: 'key, account',
      require_end_user: 'account',
    });
  });

  it('restrict nothing where no level does', () => {
    const { effective, from } = combineRules(RULE_SCOPES.map((scope) => level(scope, {})));
    expect(effective).toEqual(rules.parse({}));
    expect(new Set(Object.values(from))).toEqual(new Set([null]));
  });

  it('allow nothing where one level allows nothing', () => {
    const { effective } = combineRules([level('key', { models: [] }), level('team', { models: ['*'] })]);
    expect(effective.models).toEqual([]);
  });

  const globs = fc.option(fc.array(fc.constantFrom('a/*', '*/b', 'a/b', 'c/b', '*'), { maxLength: 3 }));
  const endpoint = fc.constantFrom('chat', 'images', 'speech');
  const random = fc.record({
    models: globs,
    providers: globs,
    endpoints: fc.option(fc.array(endpoint, { maxLength: 3 })),
    requests_per_minute: fc.option(fc.integer({ min: 1, max: 5 })),
    streams: fc.option(fc.integer({ min: 0, max: 5 })),
    require_tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
    require_end_user: fc.boolean(),
  });

  it('allow together what each of them allows', () => {
    const levels = fc.array(random, { minLength: 1, maxLength: 4 });
    const id = fc.constantFrom('a/b', 'a/c', 'c/b', 'c/d');
    const request = fc.record({ model: id, provider: id, endpoint, number: fc.integer({ min: 0, max: 6 }) });
    fc.assert(
      fc.property(
        levels,
        request,
        fc.subarray(['a', 'b', 'c']),
        fc.boolean(),
        (given, asked, tags, named) => {
          const parsed = given.map((each, index) => level(RULE_SCOPES[index] ?? 'key', each));
          const allows = (rule: Omit<LevelRules['rules'], 'budgets'>) =>
            (rule.models === null || globMatcher(rule.models)(asked.model)) &&
            (rule.providers === null || globMatcher(rule.providers)(asked.provider)) &&
            (rule.endpoints === null || rule.endpoints.some((each) => each === asked.endpoint)) &&
            (rule.requests_per_minute === null || asked.number <= rule.requests_per_minute) &&
            (rule.streams === null || asked.number <= rule.streams) &&
            rule.require_tags.every((tag) => tags.includes(tag)) &&
            (!rule.require_end_user || named);
          expect(allows(combineRules(parsed).effective)).toBe(
            parsed.every(({ rules: each }) => allows(each)),
          );
        },
      ),
    );
  });
});
