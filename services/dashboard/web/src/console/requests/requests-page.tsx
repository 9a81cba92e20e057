import { Button, Stack, Tabs } from '@mantine/core';
import { IconDownload, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { saveFile } from '../../format/save-file.ts';
import { FilterBar } from './filter-bar.tsx';
import { RefusedList } from './refused-list.tsx';
import { queryOf, refusedQueryOf } from './request-filters.ts';
import { MAX_CSV_ROWS, requestsCsv } from './requests-csv.ts';
import { RequestsList } from './requests-list.tsx';
import { useRequests } from './use-requests.ts';

/** Lists the requests of all accounts as they end, and those of the past. */
export function RequestsPage() {
  const [address, change] = useAddressQuery();
  const [isPaused, setPaused] = useState(false);
  const filters = address.toString();
  // Periods such as "last hour" begin when the filters are chosen, so that pages fit together.
  const { openedMs, query } = useMemo(() => {
    const nowMs = Date.now();
    return { openedMs: nowMs, query: queryOf(new URLSearchParams(filters), nowMs) };
  }, [filters]);
  const isRefused = address.get('show') === 'refused';
  const mayBeLive = query.end_time === undefined && query.request_id === undefined;
  const isLive = mayBeLive && !isPaused && !isRefused;
  const requests = useRequests(query, openedMs, { isLive, isShown: !isRefused });
  const saving = useAction(async () =>
    saveFile('requests.csv', 'text/csv;charset=utf-8', await requestsCsv(query)),
  );
  return (
    <Stack gap="md">
      <PageHeader
        title="Requests"
        description="Requests of all accounts, newest first. New ones appear within seconds of their end."
        actions={
          !isRefused && (
            <>
              {mayBeLive && (
                <Button
                  variant="default"
                  leftSection={
                    isPaused ? (
                      <IconPlayerPlay size={16} aria-hidden />
                    ) : (
                      <IconPlayerPause size={16} aria-hidden />
                    )
                  }
                  onClick={() => setPaused(!isPaused)}
                >
                  {isPaused ? 'Resume' : 'Pause'}
                </Button>
              )}
              <Button
                variant="default"
                leftSection={<IconDownload size={16} aria-hidden />}
                title={`The newest ${MAX_CSV_ROWS.toLocaleString('en-US')} at most`}
                loading={saving.isPending}
                onClick={() => saving.run()}
              >
                CSV
              </Button>
            </>
          )
        }
      />
      <ErrorNotice error={saving.error} />
      <FilterBar address={address} change={change} valuesOf={(name) => valuesOf(requests.rows ?? [], name)} />
      <Tabs
        value={isRefused ? 'refused' : 'requests'}
        onChange={(tab) => change({ show: tab === 'refused' ? tab : undefined })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="requests">Requests</Tabs.Tab>
          <Tabs.Tab value="refused">Refused before a provider</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="requests" pt="md">
          <RequestsList requests={requests} />
        </Tabs.Panel>
        <Tabs.Panel value="refused" pt="md">
          <RefusedList query={refusedQueryOf(query)} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function valuesOf(rows: readonly object[], name: string): string[] {
  const values = rows.map((row) => new Map<string, unknown>(Object.entries(row)).get(name));
  return [...new Set(values.filter((value) => value !== null && value !== undefined).map(String))].slice(
    0,
    50,
  );
}
