import { Badge, Button, Code, Group, Loader, SimpleGrid, Text } from '@mantine/core';
import type { Verification } from '../../../../wire/management.ts';
import { changeManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement, useManagement } from '../../api/use-management.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Fact } from '../../components/fact.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';

const RUNNING_REFETCH_MS = 1_000;
const IDLE_REFETCH_MS = 60_000;
const MAX_EARLIER = 5;

const KINDS = {
  ledger: {
    title: 'Ledger',
    description: 'Compares all sums of money: pools, allowances, budgets, requests and their ledger entries.',
    list: 'listLedgerVerifications',
    start: 'startLedgerVerification',
    button: 'Verify the ledger',
    agrees: 'Everything agrees',
    disagrees: 'Sums disagree',
  },
  audit_log: {
    title: 'Integrity',
    description: 'Checks the hash chains of the audit log: no event was changed, inserted or removed.',
    list: 'listAuditLogVerifications',
    start: 'startAuditLogVerification',
    button: 'Verify the audit log',
    agrees: 'The log is intact',
    disagrees: 'The log is broken',
  },
} as const;

type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Starts a check of the ledger or the audit log, and shows the last results. */
export function VerificationPanel({ kind }: { kind: keyof typeof KINDS }) {
  const words = KINDS[kind];
  const list = useVerifications(words);
  const latest = list.data?.body.data ?? [];
  const [newest, ...earlier] = latest;
  const isRunning = newest?.state === 'running';
  const start = useAction(async () => {
    await changeManagement(words.start, { body: {} });
    await refreshManagement();
  });
  return (
    <Panel
      title={words.title}
      description={words.description}
      actions={
        <Button
          variant="default"
          loading={start.isPending}
          disabled={isRunning || list.data === undefined}
          onClick={() => start.run()}
        >
          {words.button}
        </Button>
      }
    >
      <ErrorNotice error={start.error} />
      <QueryState query={list} loading="Reading the last results" />
      {list.data !== undefined && newest === undefined && (
        <Hint>Nobody has started a check here yet. It changes nothing and can run at any time.</Hint>
      )}
      <div role="status">{newest !== undefined && <Result check={newest} words={words} />}</div>
      {earlier.length > 0 && (
        <Group gap="xs">
          <Hint>Earlier:</Hint>
          {earlier.slice(0, MAX_EARLIER).map((check) => (
            <Text span size="sm" key={check.id}>
              <Moment ms={Date.parse(check.started_at)} /> <Outcome check={check} words={words} />
            </Text>
          ))}
        </Group>
      )}
    </Panel>
  );
}

function useVerifications({ list }: Kind) {
  const read = useManagement(list, {}, { refetchMs: IDLE_REFETCH_MS });
  const isRunning = read.data?.body.data[0]?.state === 'running';
  // While one is under way, a second reader of the same data asks more often.
  useManagement(list, {}, { refetchMs: RUNNING_REFETCH_MS, enabled: isRunning });
  return read;
}

function Outcome({ check: { agrees, state }, words }: { check: Verification; words: Kind }) {
  if (state === 'running') return <Badge color="blue">Running</Badge>;
  if (state === 'failed') return <Badge color="yellow">No result</Badge>;
  return agrees ? <Badge color="green">{words.agrees}</Badge> : <Badge color="red">{words.disagrees}</Badge>;
}

function Result({ check, words }: { check: Verification; words: Kind }) {
  const { ended_at: endedAt, problem, result, started_at: startedAt, state } = check;
  if (state === 'running')
    return (
      <Group gap="xs">
        <Loader size="xs" aria-hidden />
        <Text size="sm">
          Running since <Moment ms={Date.parse(startedAt)} />. It takes minutes with millions of requests; you
          may leave the page.
        </Text>
      </Group>
    );
  const tookMs = endedAt === null ? undefined : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4, lg: 6 }} mb="sm">
        <Fact label="Result">
          <Outcome check={check} words={words} />
        </Fact>
        <Fact label="Started">
          <Moment ms={Date.parse(startedAt)} />
        </Fact>
        {tookMs !== undefined && <Fact label="Duration">{formatDuration(tookMs)}</Fact>}
        {countsOf(result).map(([label, count]) => (
          <Fact key={label} label={label}>
            {formatCount(count)}
          </Fact>
        ))}
      </SimpleGrid>
      {problem !== null && <Text size="sm">{problem}</Text>}
      {result?.audit_log?.broken != null && (
        <Text size="sm">
          First broken event: {result.audit_log.broken.id ?? 'removed'} at position{' '}
          {result.audit_log.broken.position} of chain {result.audit_log.broken.chain}.{' '}
          {result.audit_log.broken.problem}
        </Text>
      )}
      {(result?.ledger?.disagreements.length ?? 0) > 0 && (
        <>
          <EntryTable
            caption="Sums that disagree"
            entries={result?.ledger?.disagreements ?? []}
            idOf={({ id, kind, problem: each }) => `${kind} ${id} ${each}`}
            columns={[
              { id: 'kind', header: 'What', cell: ({ kind }) => kind.replaceAll('_', ' ') },
              { id: 'id', header: 'Id', cell: ({ id }) => <Code>{id}</Code> },
              { id: 'problem', header: 'Problem', cell: ({ problem: each }) => each },
            ]}
          />
          <Hint>Do not change pools by hand. Keep this result, and report it.</Hint>
        </>
      )}
    </>
  );
}

function countsOf(result: Verification['result']): [string, number][] {
  if (result?.ledger !== undefined) {
    const { ledger_entries: entries, pools, usage_records: records } = result.ledger;
    return [
      ['Pools', pools],
      ['Requests', records],
      ['Ledger entries', entries],
    ];
  }
  return result?.audit_log === undefined ? [] : [['Events', result.audit_log.events]];
}
