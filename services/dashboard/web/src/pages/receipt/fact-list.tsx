import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Hint } from '../../components/hint.tsx';
import { Panel } from '../../components/panel.tsx';
import classes from './receipt.module.css';

/** The value of a fact; one without a value is left out. */
export type RequestFact = [name: string, value: ReactNode];

/** Shows what a request was. */
export function FactList({ facts }: { facts: readonly RequestFact[] }) {
  const known = facts.filter(([, value]) => !EMPTY.has(value));
  return (
    <Panel title="The request">
      <dl className={classes.facts}>
        {known.map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <Hint component="dt">{name}</Hint>
            <Text
              component="dd"
              size="sm"
              m={0}
              className={`break-anywhere ${Array.isArray(value) ? classes.values : ''}`}
            >
              {value}
            </Text>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

const EMPTY: ReadonlySet<ReactNode> = new Set([null, undefined, false, '']);
