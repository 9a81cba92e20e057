import { addressBits, globMatcher, networkMatcher } from '@model-gateway/shared/rules';
import { LRUCache } from 'lru-cache';
import type { AuthenticatedRecord } from '../request-record.ts';

/** The parts of a request that its rules depend on. */
export type RuledRecord = Pick<AuthenticatedRecord, 'endUserRules'> & {
  key: Pick<AuthenticatedRecord['key'], 'rules'>;
};

type Lists = readonly (readonly string[])[];
type Matcher = (value: string) => boolean;

/** Bounds the compiled lists, by their entries of about 0.1 kB. */
const MAX_ENTRIES = 200_000;
/** Entries that each list counts as, besides its own. */
const LIST_ENTRIES = 5;

/** Most clients send several requests, and each one is checked against the networks of key and end user. */
const recentBits = new LRUCache<string, string>({ max: 1_000 });
const namesMatcher = compiledOnce(globMatcher);
const clientMatcher = compiledOnce(networkMatcher);

/** Returns true if all rules of the request allow a model or a provider. */
export function isAllowed(
  { endUserRules, key: { rules } }: RuledRecord,
  member: 'models' | 'providers',
  value: string,
): boolean {
  return (
    isInAll(rules?.[member], value, namesMatcher) && isInAll(endUserRules?.[member], value, namesMatcher)
  );
}

/** Returns true if every list has the name. */
export function isInLists(lists: Lists, value: string): boolean {
  return isInAll(lists, value, namesMatcher);
}

/** Returns true if every list of networks contains the client's address. */
export function isInNetworks(lists: Lists, clientIp: string): boolean {
  return lists.length === 0 || isInAll(lists, bitsOf(clientIp), clientMatcher);
}

function bitsOf(clientIp: string): string {
  let bits = recentBits.get(clientIp);
  if (bits === undefined) {
    bits = addressBits(clientIp);
    // A forwarded address can be any text, also a long one.
    if (bits !== '') recentBits.set(clientIp, bits);
  }
  return bits;
}

function isInAll(lists: Lists | undefined, value: string, matcherOf: (list: readonly string[]) => Matcher) {
  return lists === undefined || lists.every((list) => matcherOf(list)(value));
}

/** Compiles each list once while it is in use. Equal lists of keys are one array (keys/intern-list.ts). */
function compiledOnce(compile: (list: readonly string[]) => Matcher): (list: readonly string[]) => Matcher {
  const compiled = new LRUCache<readonly string[], Matcher>({
    maxSize: MAX_ENTRIES,
    sizeCalculation: (_matcher, list) => LIST_ENTRIES + list.length,
  });
  return (list) => {
    let matcher = compiled.get(list);
    if (matcher === undefined) {
      matcher = compile(list);
      compiled.set(list, matcher);
    }
    return matcher;
  };
}
