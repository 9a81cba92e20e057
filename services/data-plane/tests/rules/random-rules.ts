import fc from 'fast-check';
import { ROUTES, type Route } from './ask-route.ts';
import { modelsBehind, NAMES, OTHERS, PROVIDER_IDS, UPSTREAMS } from './ruled-catalog.ts';

export interface ListRules {
  models?: string[] | null;
  providers?: string[] | null;
  endpoints?: string[] | null;
  networks?: string[] | null;
}

type LevelName = 'key' | 'seat' | 'team' | 'account' | 'end_users';

export interface RandomRequest {
  route: Route;
  /** Names in the request: one, or several in `models`. */
  names: readonly string[];
  isList: boolean;
  stream: boolean;
  endUser: boolean;
  address: string;
  /** Index of an earlier response that it continues; undefined: none. */
  continues: number | undefined;
}

const GLOBS = ['*', 'acme/*', 'beta/*', '*/small', '*/large', '*l*', 'auto/any', 'any', 'small'];
const models = fc.constantFrom(...GLOBS, ...GLOBS, ...Object.keys(UPSTREAMS));
const providers = fc.constantFrom('*', 'p*', '*o*', '*e', ...PROVIDER_IDS);
const endpoints = fc.constantFrom('chat', 'chat', 'chat', ...Object.keys(OTHERS));
const networks = fc.constantFrom('0.0.0.0/0', '198.51.100.0/24', '::/0', '2001:db8::/32', '198.51.100.7');
const ADDRESSES = ['198.51.100.7', '198.51.100.8', '203.0.113.1', '2001:db8::1', '::ffff:198.51.100.7'];

/** Most lists are missing, so that five levels together still allow something. */
const list = (entry: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 14, arbitrary: fc.constant(null) },
    { weight: 5, arbitrary: fc.uniqueArray(entry, { minLength: 1, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array(entry, { maxLength: 1 }) },
  );
const levelRules = fc.record(
  { models: list(models), providers: list(providers), endpoints: list(endpoints), networks: list(networks) },
  { requiredKeys: [] },
);

const ofKey = { key: levelRules, seat: levelRules, team: levelRules };

/** Rules at any levels. Half of them have none of the account, so that several keys can share one. */
export const levels: fc.Arbitrary<Partial<Record<LevelName, ListRules>>> = fc.oneof(
  fc.record(ofKey, { requiredKeys: [] }),
  fc.record({ ...ofKey, account: levelRules, end_users: levelRules }, { requiredKeys: [] }),
);

const route = fc.constantFrom(
  ...(Object.keys(ROUTES) as Route[]),
  'chat/completions',
  'messages',
  'responses',
);
export const request: fc.Arbitrary<RandomRequest> = route.chain((chosen) => {
  const { capability, streams } = ROUTES[chosen];
  const names =
    capability === 'chat' ? Object.keys(NAMES) : [`acme/${OTHERS[capability]}`, `beta/${OTHERS[capability]}`];
  return fc.record({
    route: fc.constant(chosen),
    names: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
    isList: streams ? fc.boolean() : fc.constant(false),
    stream: streams ? fc.boolean() : fc.constant(false),
    endUser: fc.boolean(),
    address: fc.constantFrom(...ADDRESSES),
    continues: chosen === 'responses' ? fc.option(fc.nat(3), { nil: undefined }) : fc.constant(undefined),
  });
});

/** Decides by regular expressions, unlike the gateway. */
export class Allowed {
  readonly #levels: readonly ListRules[];

  constructor(ofLevels: Partial<Record<LevelName, ListRules>>, endUser: boolean) {
    this.#levels = Object.entries(ofLevels).flatMap(([level, rules]) =>
      level === 'end_users' && !endUser ? [] : [rules],
    );
  }

  names(member: 'models' | 'providers' | 'endpoints', value: string): boolean {
    return this.#every(member, (glob) =>
      new RegExp(`^${glob.replaceAll('/', '\\/').replaceAll('*', '.*')}$`).test(value),
    );
  }

  client(address: string): boolean {
    const plain = address.replace('::ffff:', '');
    return this.#every('networks', (network) => CONTAINED[network]?.includes(plain) === true);
  }

  /** True if a request for this model may reach one of its providers. */
  model(id: string): boolean {
    return (
      this.names('models', id) &&
      Object.keys(UPSTREAMS[id] ?? {}).some((each) => this.names('providers', each))
    );
  }

  /** True if a request without failures must be served. */
  serves({ address, isList, names, route: chosen }: RandomRequest): boolean {
    const asked = isList ? names.flatMap(withoutFallbacks) : modelsBehind(names[0] ?? '');
    return (
      this.client(address) &&
      this.names('endpoints', ROUTES[chosen].capability) &&
      asked.some((id) => this.model(id))
    );
  }

  #every(member: keyof ListRules, matches: (entry: string) => boolean): boolean {
    return this.#levels.every((rules) => rules[member] == null || rules[member].some(matches));
  }
}

/** The addresses above in each network. */
const CONTAINED: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0/0': ['198.51.100.7', '198.51.100.8', '203.0.113.1'],
  '198.51.100.0/24': ['198.51.100.7', '198.51.100.8'],
  '198.51.100.7': ['198.51.100.7'],
  '::/0': ['2001:db8::1'],
  '2001:db8::/32': ['2001:db8::1'],
};

/** A list of models has no fallbacks of the catalog. */
function withoutFallbacks(name: string): readonly string[] {
  const behind = modelsBehind(name);
  return name.endsWith('any') ? behind.filter((id) => id !== 'beta/large') : behind.slice(0, 1);
}
