import { globMatcher } from '@model-gateway/shared/rules';
import type { AuthenticatedRecord } from '../request-record.ts';
import { networkMatcher } from './network-matcher.ts';

/** The parts of a request that its rules depend on. */
export type RuledRecord = Pick<AuthenticatedRecord, 'endUserRules'> & {
  key: Pick<AuthenticatedRecord['key'], 'rules'>;
};

type Lists = readonly (readonly string[])[];
type Matcher = (value: string) => boolean;

const namesMatcher = compiledOnce(globMatcher);
const clientMatcher = compiledOnce(networkMatcher);

/** Returns true if no rule of the request leaves the value out. */
export function isAllowed(
  { endUserRules, key: { rules } }: RuledRecord,
  member: 'models' | 'providers' | 'endpoints',
  value: string,
): boolean {
  return (
    isInAll(rules?.[member], value, namesMatcher) && isInAll(endUserRules?.[member], value, namesMatcher)
  );
}

/** Returns true if every rule about networks contains the client's address. */
export function isAllowedClient({
  clientIp,
  endUserRules,
  key: { rules },
}: RuledRecord & Pick<AuthenticatedRecord, 'clientIp'>): boolean {
  return (
    isInAll(rules?.networks, clientIp, clientMatcher) &&
    isInAll(endUserRules?.networks, clientIp, clientMatcher)
  );
}

function isInAll(lists: Lists | undefined, value: string, matcherOf: (list: readonly string[]) => Matcher) {
  return lists === undefined || lists.every((list) => matcherOf(list)(value));
}

/** Compiles each list once. Equal lists of many keys are one array (intern-list.ts). */
function compiledOnce(compile: (list: readonly string[]) => Matcher): (list: readonly string[]) => Matcher {
  const compiled = new WeakMap<readonly string[], Matcher>();
  return (list) => {
    let matcher = compiled.get(list);
    if (matcher === undefined) {
      matcher = compile(list);
      compiled.set(list, matcher);
    }
    return matcher;
  };
}
