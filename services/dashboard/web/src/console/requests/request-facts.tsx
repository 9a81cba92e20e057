import type { Receipt } from '../../../../wire/management.ts';
import { Identifier } from '../../components/identifier.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { describeAffinity, describeCachedShare } from '../../pages/receipt/describe-receipt.ts';
import { FactList, type RequestFact } from '../../pages/receipt/fact-list.tsx';
import { convertReceipt } from './convert-receipt.ts';

/** Shows what a request was, with links to what it concerns. */
export function RequestFacts({ receipt }: { receipt: Receipt }) {
  const { account_email, account_id, affinity, attempts, end_user, key_id, key_name, model } = receipt;
  const { price_list_version, price_version, rules_checked, seat_id } = receipt;
  const { service_tier, session, tags, team_id } = receipt;
  const cached = describeCachedShare(convertReceipt(receipt));
  const providers = [...new Set(attempts.map(({ provider }) => provider))];
  const similar = (filters: Record<string, string>, text: string) => (
    <TextLink key={text} to={consolePaths.requests({ account_id, ...filters })}>
      {text}
    </TextLink>
  );
  const facts: RequestFact[] = [
    [
      'Account',
      <TextLink key="account" to={consolePaths.account(account_id)}>
        {account_email ?? account_id}
      </TextLink>,
    ],
    [
      'Key',
      <TextLink key="key" to={consolePaths.key(key_id)}>
        {key_name ?? key_id}
      </TextLink>,
    ],
    ['Team', team_id && <TextLink to={consolePaths.team(team_id)}>{team_id}</TextLink>],
    ['Seat', seat_id && <TextLink to={consolePaths.seat(seat_id)}>{seat_id}</TextLink>],
    [
      'Model',
      <TextLink key="model" to={consolePaths.model(model)}>
        {model}
      </TextLink>,
    ],
    [
      'Providers',
      providers.length > 0 &&
        providers.map((provider) => (
          <TextLink key={provider} to={consolePaths.provider(provider)}>
            {provider}
          </TextLink>
        )),
    ],
    ['Capability', receipt.capability],
    ['Billing', receipt.billing_reason],
    ['Price', price_version === null ? 'free of charge' : `version ${price_version}`],
    ['Price list', price_list_version && `version ${price_list_version}`],
    ['Service tier', service_tier],
    [
      'Tags',
      Object.keys(tags).length > 0 &&
        Object.entries(tags).map(([name, value]) => similar({ [`tag.${name}`]: value }, `${name}=${value}`)),
    ],
    ['End user', end_user && <TextLink to={consolePaths.endUser(account_id, end_user)}>{end_user}</TextLink>],
    ['Session', session && similar({ session }, session)],
    ['Routed by', affinity && describeAffinity(affinity)],
    ['Cached input', cached],
    ['Budgets', rules_checked.length > 0 && rules_checked.map((id) => <Identifier key={id} id={id} />)],
  ];
  return <FactList facts={facts} />;
}
