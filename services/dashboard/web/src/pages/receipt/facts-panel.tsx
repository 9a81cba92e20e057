import { Text } from '@mantine/core';
import type { ReceiptAnswer } from '../../../../wire/receipts.ts';
import { Panel } from '../../components/panel.tsx';
import { formatDateTime } from '../../format/format-time.ts';
import classes from './receipt.module.css';
import { answeredWords } from './receipt-words.ts';

/** Shows what the request was. */
export function FactsPanel({ receipt }: { receipt: ReceiptAnswer }) {
  const { endedAtMs, model, capability, keyName, keyKind, teamId, priceVersion } = receipt;
  const facts: [name: string, value: string][] = [
    ['Ended', formatDateTime(endedAtMs)],
    ['You were answered', answeredWords(receipt) ?? 'not known'],
    ['Model', model],
    ['Capability', capability],
    ['Key', keyKind === 'playground' ? 'Playground' : keyName],
    ['Made on', teamId === null ? 'your account' : `a seat in the team ${teamId}`],
    [
      'Price',
      priceVersion === null
        ? 'free of charge'
        : `version ${priceVersion}, the one in force when the request began`,
    ],
  ];
  return (
    <Panel title="The request">
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} className="break-anywhere">
              {value}
            </Text>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
