import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Receipt } from '../../../../wire/management.ts';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { describeAffinity, describeCachedShare } from '../../pages/receipt/describe-receipt.ts';
import classes from '../../pages/receipt/receipt.module.css';
import { consolePaths } from '../console-paths.ts';
import { convertReceipt } from './convert-receipt.ts';

/** Shows what a request was, with links to what it concerns. */
export function RequestFacts({ receipt }: { receipt: Receipt }) {
  const { account_email, account_id, affinity, attempts, end_user, key_id, key_name, model } = receipt;
  const { price_version, rules_checked, seat_id, session, tags, team_id } = receipt;
  const cached = describeCachedShare(convertReceipt(receipt));
  const providers = [...new Set(attempts.map(({ provider }) => provider))];
  const similar = (filters: Record<string, string>, text: string) => (
    <TextLink key={text} to={consolePaths.requests({ account_id, ...filters })}>
      {text}
    </TextLink>
  );
  const facts: [name: string, value: ReactNode][] = [
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
    ...optional('Team', team_id && <TextLink to={consolePaths.requests({ team_id })}>{team_id}</TextLink>),
    ...optional('Seat', seat_id && <TextLink to={consolePaths.requests({ seat_id })}>{seat_id}</TextLink>),
    [
      'Model',
      <TextLink key="model" to={consolePaths.model(model)}>
        {model}
      </TextLink>,
    ],
    ...optional(
      'Providers',
      providers.length > 0 &&
        providers.map((provider) => (
          <TextLink key={provider} to={consolePaths.provider(provider)}>
            {provider}
          </TextLink>
        )),
    ),
    ['Capability', receipt.capability],
    ['Billing', receipt.billing_reason],
    ['Price', price_version === null ? 'free of charge' : `version ${price_version}`],
    ...optional(
      'Tags',
      Object.keys(tags).length > 0 &&
        Object.entries(tags).map(([name, value]) => similar({ [`tag.${name}`]: value }, `${name}=${value}`)),
    ),
    ...optional('End user', end_user && similar({ end_user }, end_user)),
    ...optional('Session', session && similar({ session }, session)),
    ...optional('Routed by', affinity && describeAffinity(affinity)),
    ...optional('Cached input', cached),
    ...optional(
      'Budgets',
      rules_checked.length > 0 && rules_checked.map((id) => <Identifier key={id} id={id} />),
    ),
  ];
  return (
    <Panel title="The request">
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <Hint component="dt">{name}</Hint>
            <Text component="dd" size="sm" m={0} className={`break-anywhere ${classes.values}`}>
              {value}
            </Text>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

/** Returns the row of a fact, or none if it has no value. */
function optional(name: string, value: ReactNode): [string, ReactNode][] {
  return value === null || value === undefined || value === false || value === '' ? [] : [[name, value]];
}
