import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type Query, withQuery } from '../../api/client.ts';
import type { Period } from './period.ts';
import type { UsageScope } from './use-usage-scope.ts';

interface CsvLinksProps {
  scope: UsageScope;
  period: Period;
  withRequests: boolean;
}

/** Links to CSV files of the page's data. */
export function CsvLinks({ scope, period, withRequests }: CsvLinksProps) {
  const { seatId, model, keyId, label, value } = scope;
  const { fromMs, toMs, width } = period;
  return (
    <>
      <CsvLink name="Usage" path="/api/usage.csv" query={{ fromMs, toMs, seatId, width, label, value }} />
      {withRequests && (
        <CsvLink
          name="Requests"
          path="/api/requests.csv"
          query={{ fromMs, toMs, seatId, model, keyId, label, value }}
        />
      )}
    </>
  );
}

function CsvLink({ name, path, query }: { name: string; path: string; query: Query }) {
  return (
    <Button
      component="a"
      href={withQuery(path, query)}
      download
      variant="default"
      size="sm"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      {name} CSV
    </Button>
  );
}
