import { Badge, Code, Group, Text } from '@mantine/core';
import type { RulesReport } from '@model-gateway/shared/rules';
import type { ReactNode } from 'react';
import { EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { countOf } from '../../format/format-count.ts';
import { formatRelative } from '../../format/format-time.ts';
import { capabilityName } from '../models/capability-names.ts';
import { scopeName } from './rule-words.ts';

/** Shows the rules of all levels together, and the level that decided each of them. */
export function EffectivePanel({ report }: { report: RulesReport }) {
  const rows = rowsOf(report);
  const restricted = rows.filter(({ from }) => from !== null);
  const others = rows.filter(({ from }) => from === null).map(({ without }) => without);
  return (
    <Panel
      title="What applies"
      description="All rules together: of several limits the lowest, of several lists what all of them allow."
    >
      {restricted.length > 0 && (
        <EntryTable
          caption="What applies"
          entries={restricted}
          idOf={({ member }) => member}
          columns={[
            { id: 'rule', header: 'Rule', width: '22%', cell: ({ name }) => <Text size="sm">{name}</Text> },
            { id: 'value', header: 'Value', cell: ({ value }) => value },
            { id: 'from', header: 'Decided by', width: '22%', cell: ({ from }) => <Levels from={from} /> },
          ]}
        />
      )}
      {others.length > 0 && <Hint>No rule for {others.join(', ')}.</Hint>}
    </Panel>
  );
}

interface Row {
  member: string;
  name: string;
  /** Completes “No rule for …”. */
  without: string;
  value: ReactNode;
  /** The levels that decided it; null: no restriction. */
  from: string | null;
}

function rowsOf({ effective: rules, from }: RulesReport): Row[] {
  const expiresAtMs = rules.expires_at === null ? null : Date.parse(String(rules.expires_at));
  const count = (value: number | null, one: string) => value !== null && countOf(value, one);
  const rows: Omit<Row, 'from'>[] = [
    { member: 'models', name: 'Models', without: 'models', value: words(rules.models) },
    {
      member: 'providers',
      name: 'Providers',
      without: 'providers',
      value: words(rules.providers),
    },
    {
      member: 'endpoints',
      name: 'Endpoints',
      without: 'endpoints',
      value: words(rules.endpoints?.map(capabilityName) ?? null),
    },
    { member: 'networks', name: 'Networks', without: 'networks', value: words(rules.networks) },
    {
      member: 'requests_per_minute',
      name: 'Requests per minute',
      without: 'requests per minute',
      value: count(rules.requests_per_minute, 'request'),
    },
    {
      member: 'tokens_per_minute',
      name: 'Tokens per minute',
      without: 'tokens per minute',
      value: count(rules.tokens_per_minute, 'token'),
    },
    { member: 'streams', name: 'Streams', without: 'streams', value: count(rules.streams, 'stream') },
    {
      member: 'expires_at',
      name: 'Works until',
      without: 'expiry',
      value: expiresAtMs !== null && (
        <>
          <Moment form="full" ms={expiresAtMs} />, {formatRelative(expiresAtMs)}
        </>
      ),
    },
    {
      member: 'require_tags',
      name: 'Required tags',
      without: 'tags',
      value: rules.require_tags.length > 0 && words(rules.require_tags),
    },
    {
      member: 'require_end_user',
      name: 'End user',
      without: 'end users',
      value: rules.require_end_user && 'Every request must name one',
    },
  ];
  return rows.map((row) => ({ ...row, from: from[row.member] ?? null }));
}

/** Shows ids or patterns. @param entries null: no restriction; empty: nothing is allowed */
function words(entries: readonly string[] | null): ReactNode {
  if (entries === null) return null;
  if (entries.length === 0) return <Badge color="red">None allowed</Badge>;
  return (
    <Group gap={6}>
      {entries.map((entry) => (
        <Code key={entry} className="break-anywhere">
          {entry}
        </Code>
      ))}
    </Group>
  );
}

function Levels({ from }: { from: string | null }) {
  if (from === null) return null;
  return (
    <Group gap={6}>
      {from.split(', ').map((scope) => (
        <Badge key={scope} color="gray">
          {scopeName(scope)}
        </Badge>
      ))}
    </Group>
  );
}
