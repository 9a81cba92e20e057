import { Button, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { balanceLines, isZero, OTHER_MONTH } from '@model-gateway/shared/statement-lines';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StatementResponse } from '../../../../wire/statements.ts';
import { getJson, withQuery } from '../../api/client.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCount } from '../../format/format-count.ts';
import { BuyCredit } from '../../session/buy-credit.tsx';
import { listMonths } from './months.ts';

/** Shows how the account's balance changed in a month, and offers it as CSV and PDF. */
export function StatementsPage() {
  const months = listMonths(new Date());
  const [month, setMonth] = useState(months[0]?.value ?? '');
  const query = useQuery({
    queryKey: ['statement', month],
    queryFn: ({ signal }) => getJson<StatementResponse>('/api/statements', { month }, signal),
  });
  const error = useLastError(query);
  return (
    <>
      <PageHeader
        title="Statements"
        description="Your balance from month to month (UTC), with the pools of teams that you own, exact to the billionth of a dollar."
        actions={
          <>
            <Download name="CSV" path="/api/statements.csv" month={month} />
            <Download name="PDF" path="/api/statements.pdf" month={month} />
          </>
        }
      />
      <Stack gap="lg">
        <NativeSelect
          label="Month"
          maw={260}
          data={months}
          value={month}
          onChange={(event) => setMonth(event.currentTarget.value)}
        />
        <ErrorNotice error={error} onRetry={() => void query.refetch()} />
        {query.data === undefined ? error === null && <PageLoading /> : <Statement statement={query.data} />}
      </Stack>
    </>
  );
}

function Download({ name, path, month }: { name: string; path: string; month: string }) {
  return (
    <Button
      component="a"
      href={withQuery(path, { month })}
      download
      variant="default"
      size="sm"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      {name}
    </Button>
  );
}

function Statement({ statement }: { statement: StatementResponse }) {
  const { otherMonthUsd } = statement;
  const other = isZero(otherMonthUsd)
    ? []
    : [{ id: 'other-month', name: OTHER_MONTH, requests: undefined, amountUsd: otherMonthUsd }];
  return (
    <>
      <Panel title="Balance" actions={<BuyCredit />}>
        <dl>
          {balanceLines(statement).map(({ section, name, usd }) => (
            <Amount key={`${section} ${name}`} name={name} text={usd === null ? 'unlimited' : `${usd} USD`} />
          ))}
        </dl>
      </Panel>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Spend
          title="Spend by model"
          header="Model"
          lines={[
            ...statement.models.map((line) => ({ ...line, id: line.model, name: line.model })),
            ...other,
          ]}
        />
        <Spend
          title="Spend by key and seat"
          header="Key or seat"
          lines={[
            ...statement.keys.map((line) => ({
              ...line,
              name: line.team === null ? line.name : `${line.name} (${line.team})`,
            })),
            ...other,
          ]}
        />
      </SimpleGrid>
    </>
  );
}

function Amount({ name, text }: { name: string; text: string }) {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" py={4}>
      <Text component="dt" size="sm">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} className="no-wrap">
        {text}
      </Text>
    </Group>
  );
}

interface Line {
  id: string;
  name: string;
  /** Undefined: not counted. */
  requests: number | undefined;
  amountUsd: string;
}

function Spend({ title, header, lines }: { title: string; header: string; lines: readonly Line[] }) {
  return (
    <Panel title={title}>
      {lines.length === 0 ? (
        <Hint>No requests in this month.</Hint>
      ) : (
        <EntryTable
          caption={title}
          entries={lines}
          idOf={({ id, name }) => `${id} ${name}`}
          columns={[
            { id: 'name', header, cell: ({ name }) => <span className="break-anywhere">{name}</span> },
            {
              id: 'requests',
              header: 'Requests',
              align: 'right',
              isEmpty: ({ requests }) => requests === undefined,
              cell: ({ requests }) => (requests === undefined ? '' : formatCount(requests)),
            },
            { id: 'amount', header: 'USD', align: 'right', cell: ({ amountUsd }) => amountUsd },
          ]}
        />
      )}
    </Panel>
  );
}
