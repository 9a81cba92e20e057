import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { TagList } from '../../components/tag-list.tsx';
import { describeAffinity, describeCachedShare, describeResponse } from './describe-receipt.ts';
import classes from './receipt.module.css';

/** Shows what the request was. */
export function FactsPanel({ receipt }: { receipt: ReceiptResponse }) {
  const { endedAtMs, model, capability, keyName, keyKind, teamId, priceVersion } = receipt;
  const { tags, endUser, session, affinity, budgets } = receipt;
  const cached = describeCachedShare(receipt);
  const facts: [name: string, value: ReactNode][] = [
    ['Ended', <Moment key="ended" form="full" ms={endedAtMs} />],
    ['Response', describeResponse(receipt) ?? 'not known'],
    ['Model', <Identifier key="model" id={model} />],
    ['Capability', capability],
    ['Key', keyKind === 'playground' ? 'Playground' : keyName],
    ['Billed to', teamId === null ? 'your account' : `a seat in the team ${teamId}`],
    [
      'Price',
      priceVersion === null ? 'free of charge' : `version ${priceVersion}, in force when the request started`,
    ],
    ...optional('Tags', Object.keys(tags).length > 0 && <TagList tags={tags} />),
    ...optional('End user', endUser),
    ...optional('Session', session),
    ...optional('Routed by', affinity !== null && describeAffinity(affinity)),
    ...optional('Cached input', cached),
    ...optional('Budgets', budgets.length > 0 && budgets.map((id) => <Identifier key={id} id={id} />)),
  ];
  return (
    <Panel title="The request">
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <Hint component="dt">{name}</Hint>
            <Text component="dd" size="sm" m={0} className="break-anywhere">
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
  return value === null || value === undefined || value === false ? [] : [[name, value]];
}
